/** What a host gives to open or attach a top-level agent, read once and checked before anything exists. */
import { isAbsolute } from 'node:path';
import type { AgentComposition } from '../agents/composition.ts';
import { syncAnswer } from '../agents/sync-answer.ts';
import { SubagentError, toSubagentError } from '../errors.ts';
import type { AgentOptions } from '../sessions/event.ts';
import { type SessionId, toSessionId } from '../sessions/ids.ts';
import type { InboxMessage } from '../sessions/message.ts';
import { fieldsOf, signalOf } from '../sessions/outside.ts';
import { checkedAgentOptions, mergeOptions } from './agent-options.ts';
import { checkedPath } from './checked-path.ts';
import { checkComposition } from './composition-check.ts';
import { cleanLabel } from './label.ts';

export interface CheckedSetup {
  /** Undefined: a new one is minted. */
  readonly id: SessionId | undefined;
  readonly label: string;
  readonly cwd: string | (() => string);
  readonly activationsMax: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly composition: AgentComposition | undefined;
  readonly options: AgentOptions;
  readonly deliver: ((message: InboxMessage) => Promise<void> | void) | undefined;
}

const fields = ['id', 'label', 'cwd', 'activationsMax', 'signal', 'composition', 'options', 'deliver'] as const;

/** Throws `INVALID_ARGUMENT`, and `PROVIDER_FAILED` if the host's own callback does. */
export function readSetup(given: unknown): CheckedSetup {
  const { id, label = 'agent', cwd, activationsMax, composition, options, deliver, ...rest } = fieldsOf(given, fields, 'a setup');
  if (composition !== undefined) checkComposition(composition);
  if (deliver !== undefined && typeof deliver !== 'function') throw invalid('deliver is a function');
  const own = (composition as AgentComposition | undefined)?.options;
  return {
    id: id === undefined ? undefined : toSessionId(id),
    label: cleanLabel(label),
    cwd: checkedDirectory(cwd),
    activationsMax: checkedActivations(activationsMax),
    signal: signalOf(rest.signal),
    composition: composition as AgentComposition | undefined,
    options: mergeOptions(checkedAgentOptions(own), checkedAgentOptions(options)),
    deliver:
      deliver === undefined ? undefined : (message) => (deliver as NonNullable<CheckedSetup['deliver']>).call(given, message),
  };
}

/** The directory is asked for once, so that a host that cannot say is refused now. */
function checkedDirectory(cwd: unknown): string | (() => string) {
  directoryOf(cwd);
  return cwd as string | (() => string);
}

/** What the host says now. Throws `INVALID_ARGUMENT` for what is no absolute path. */
export function directoryOf(cwd: unknown): string {
  let directory: unknown;
  try {
    directory = typeof cwd === 'function' ? syncAnswer(cwd()) : cwd;
  } catch (fault) {
    throw toSubagentError(fault, 'PROVIDER_FAILED', 'the host could not say in which directory its agent works');
  }
  const path = checkedPath(directory);
  if (!isAbsolute(path)) throw invalid('cwd is an absolute path');
  return path;
}

function checkedActivations(max: unknown): number | undefined {
  if (max === undefined || (typeof max === 'number' && max >= 0)) return max;
  throw invalid('activationsMax is a non-negative number');
}

function invalid(what: string): SubagentError {
  return new SubagentError('INVALID_ARGUMENT', what);
}
