/** Checks a start before anything exists. Every refusal is a typed error, and nothing has changed when it is thrown. */
import { isAbsolute, resolve } from 'node:path';
import type { Residency } from '../actors/residency.ts';
import type { AgentComposition } from '../agents/composition.ts';
import { checkContent, hasImages } from '../agents/message-check.ts';
import { checkOutputSchema } from '../agents/output-schema.ts';
import { SubagentError } from '../errors.ts';
import type { SubagentActivationSpec, SubagentProvider } from '../providers/contract.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { AgentOptions } from '../sessions/event.ts';
import { type SessionId, toSessionId } from '../sessions/ids.ts';
import type { JsonObject } from '../sessions/json.ts';
import { quoted } from '../sessions/one-line.ts';
import { checkedAgentOptions, mergeOptions } from './agent-options.ts';
import { checkedPath } from './checked-path.ts';
import { checkDepth } from './depth.ts';
import { cleanLabel } from './label.ts';
import { findResident, mustBeExact, mustBeOpen, type Registry, throwIfAborted } from './registry.ts';
import { isReserved } from './reserved-ids.ts';
import { readStart, type StartRequest, type StartSpec } from './start-spec.ts';
import { takesImages } from './takes-images.ts';

export interface CheckedStart {
  readonly provider: SubagentProvider;
  readonly parent: Residency;
  readonly label: string;
  readonly childId: SessionId | undefined;
  readonly prompt: readonly ContentBlock[];
  readonly promptBytes: number;
  readonly cwd: string;
  readonly depth: number;
  readonly maxDepth: number | undefined;
  readonly options: AgentOptions;
  readonly preset: string | undefined;
  readonly composition: AgentComposition | undefined;
  readonly outputSchema: JsonObject | undefined;
  readonly delivery: 'parent' | 'caller';
  readonly callId: string | undefined;
  readonly signal: AbortSignal;
}

export function checkStart(registry: Registry, given: SubagentActivationSpec): CheckedStart {
  const spec = readStart(given);
  throwIfAborted(spec.signal);
  mustBeOpen(registry);
  const { request, label, delivery, callId, signal } = spec;
  const parent = mustBeExact(registry, request.parent, 'PARENT_UNAVAILABLE');
  const provider = registry.providers.must(spec.provider);
  checkCapabilities(provider, request);
  const isLocal = provider.prepareContinuable !== undefined;
  const childId = checkChildId(registry, spec, isLocal);
  const prompt = checkContent(request.prompt, registry.limits);
  const outputSchema = request.outputSchema === undefined ? undefined : checkOutputSchema(request.outputSchema);
  const overrides = checkedAgentOptions(request.agentOptions);
  const preset = checkedPreset(request.agentPreset);
  const composition = isLocal ? compositionOf(registry, parent, preset) : undefined;
  const options = mergeOptions(baseOptions(registry, provider, parent, composition, preset), overrides);
  if (isLocal && hasImages(prompt.content) && !takesImages(composition, options)) {
    throw new SubagentError('UNSUPPORTED_CAPABILITY', 'the model of this child takes no images');
  }
  const depth = checkDepth(parent.agent.depth, request.maxDepth, registry.limits.depthMax);
  checkRoom(registry, parent);
  return {
    ...{ provider, parent, childId, depth, options, preset, composition, outputSchema, delivery, callId, signal },
    label: cleanLabel(label),
    prompt: prompt.content,
    promptBytes: prompt.bytes,
    cwd: childCwd(parent, request.cwd),
    maxDepth: request.maxDepth as number | undefined, // checked with the depth
  };
}

/** The parent may start one more child, ever, and there is a place for it now. */
function checkRoom(registry: Registry, parent: Residency): void {
  checkPlace(registry, parent);
  const { childrenPerAgent } = registry.limits;
  if (parent.startedChildren < childrenPerAgent) return;
  throw new SubagentError(
    'CHILD_LIMIT_REACHED',
    `agent ${parent.id} has started ${parent.startedChildren} children; at most ${childrenPerAgent} are allowed`,
  );
}

/** The parent still admits activations below it, and capacity has a place for one more. */
export function checkPlace(registry: Registry, parent: Residency): void {
  mustBeOpen(registry);
  if (!parent.isDelegating) throw new SubagentError('DRAINING', `agent ${parent.id} admits no children any more`);
  registry.capacity.check(parent.root);
}

/** Named preset, else the parent's composition of now. A host-run parent has none. */
export function compositionOf(registry: Registry, parent: Residency, preset: string | undefined): AgentComposition {
  if (preset !== undefined) {
    const composition = registry.presets.get(preset);
    if (composition === undefined) throw new SubagentError('UNKNOWN_PRESET', `no preset is named ${quoted(preset)}`);
    return composition;
  }
  if (parent.composition === undefined) {
    throw new SubagentError('UNSUPPORTED_CAPABILITY', 'the parent is run by its host and gave no composition for its children');
  }
  return parent.composition;
}

function baseOptions(
  registry: Registry,
  provider: SubagentProvider,
  parent: Residency,
  composition: AgentComposition | undefined,
  preset: string | undefined,
): AgentOptions {
  const route = registry.providers.routeOf(provider.name);
  if (route !== undefined) return route;
  return preset === undefined ? parent.options : (composition?.options ?? {});
}

function checkedPreset(name: unknown): string | undefined {
  if (name === undefined || typeof name === 'string') return name;
  throw new SubagentError('INVALID_ARGUMENT', 'a preset is named by a text');
}

function checkCapabilities(provider: SubagentProvider, request: StartRequest): void {
  const { capabilities, name } = provider;
  const { agentOptions, agentPreset, outputSchema, maxDepth } = request;
  const asked = { agentOptions, agentPreset, outputSchema, depthLimit: maxDepth };
  for (const key of ['agentOptions', 'agentPreset', 'outputSchema', 'depthLimit'] as const) {
    if (asked[key] === undefined || capabilities[key]) continue;
    const option = key === 'depthLimit' ? 'maxDepth' : key;
    throw new SubagentError('UNSUPPORTED_CAPABILITY', `provider "${name}" does not support ${option}`);
  }
}

function checkChildId(registry: Registry, spec: StartSpec, isLocal: boolean): SessionId | undefined {
  if (spec.childId === undefined) return undefined;
  if (!isLocal) throw new SubagentError('UNSUPPORTED_CAPABILITY', `provider ${quoted(spec.provider)} names its children itself`);
  const childId = toSessionId(spec.childId);
  if (isReserved(childId)) throw new SubagentError('INVALID_ARGUMENT', `no child can have the id ${childId}`);
  if (findResident(registry, childId) !== undefined || registry.externalIds.has(childId)) {
    throw new SubagentError('DUPLICATE_CHILD', `there is an agent ${childId} already`);
  }
  return childId;
}

function childCwd(parent: Residency, cwd: string | undefined): string {
  if (cwd === undefined) return checkedPath(parent.agent.cwd);
  return checkedPath(isAbsolute(cwd) ? resolve(cwd) : resolve(parent.agent.cwd, cwd));
}
