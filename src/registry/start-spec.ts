/** What a start asks for, read once from what the caller gave. Its values are checked where their rules are. */
import { SubagentError } from '../errors.ts';
import type { SubagentActivationSpec } from '../providers/contract.ts';
import { fieldsOf, signalOf } from '../sessions/outside.ts';
import { checkedPath } from './checked-path.ts';

export interface StartSpec {
  readonly provider: unknown;
  readonly label: unknown;
  readonly childId: unknown;
  readonly signal: AbortSignal;
  readonly delivery: 'parent' | 'caller';
  readonly callId: string | undefined;
  readonly request: StartRequest;
}

export interface StartRequest {
  readonly parent: SubagentActivationSpec['request']['parent'];
  readonly prompt: unknown;
  readonly cwd: string | undefined;
  readonly agentPreset: unknown;
  readonly agentOptions: unknown;
  readonly outputSchema: unknown;
  readonly maxDepth: unknown;
}

const specFields = ['provider', 'label', 'childId', 'request', 'signal', 'delivery', 'callId'] as const;
const requestFields = ['parent', 'prompt', 'cwd', 'agentPreset', 'agentOptions', 'outputSchema', 'maxDepth'] as const;

/** Throws `INVALID_ARGUMENT`. */
export function readStart(given: unknown): StartSpec {
  const { provider, label, childId, request, delivery, callId, ...spec } = fieldsOf(given, specFields, 'a start');
  const { parent, prompt, cwd, ...options } = fieldsOf(request, requestFields, 'the request of a start');
  const signal = signalOf(spec.signal);
  if (signal === undefined) throw new SubagentError('INVALID_ARGUMENT', 'a start has an AbortSignal');
  if (delivery !== 'parent' && delivery !== 'caller')
    throw new SubagentError('INVALID_ARGUMENT', 'delivery is "parent" or "caller"');
  if (callId !== undefined && typeof callId !== 'string') throw new SubagentError('INVALID_ARGUMENT', 'callId is a text');
  const { agentPreset, agentOptions, outputSchema, maxDepth } = options;
  return {
    ...{ provider, label, childId, signal, delivery, callId },
    request: {
      parent: parent as StartRequest['parent'], // the registry knows it by identity, or not
      cwd: cwd === undefined ? undefined : checkedPath(cwd),
      ...{ prompt, agentPreset, agentOptions, outputSchema, maxDepth },
    },
  };
}
