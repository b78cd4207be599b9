/** Checks a start before anything exists. Every refusal is a typed error, and nothing has changed when it is thrown. */
import { isAbsolute, resolve } from 'node:path';
import type { Residency } from '../actors/residency.ts';
import type { AgentComposition } from '../agents/composition.ts';
import { checkContent, copyContent, hasImages } from '../agents/message-check.ts';
import { checkOutputSchema } from '../agents/output-schema.ts';
import { isYes } from '../agents/sync-answer.ts';
import { SubagentError } from '../errors.ts';
import type { SubagentActivationSpec, SubagentProvider } from '../providers/contract.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { AgentOptions } from '../sessions/event.ts';
import { type SessionId, toSessionId } from '../sessions/ids.ts';
import type { JsonObject } from '../sessions/json.ts';
import { checkAgentOptions, mergeOptions } from './agent-options.ts';
import { checkDepth } from './depth.ts';
import { cleanLabel } from './label.ts';
import { findResident, mustBeExact, mustBeOpen, type Registry, throwIfAborted } from './registry.ts';

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

export function checkStart(registry: Registry, spec: SubagentActivationSpec): CheckedStart {
  checkShape(spec);
  throwIfAborted(spec.signal);
  mustBeOpen(registry);
  const { request } = spec;
  const parent = mustBeExact(registry, request.parent, 'PARENT_UNAVAILABLE');
  const provider = registry.providers.must(spec.provider);
  checkCapabilities(provider, spec);
  const isLocal = provider.prepareContinuable !== undefined;
  const childId = checkChildId(registry, spec, isLocal);
  const promptBytes = checkContent(request.prompt, registry.limits);
  const outputSchema = request.outputSchema === undefined ? undefined : checkOutputSchema(request.outputSchema);
  checkAgentOptions(request.agentOptions);
  const composition = isLocal ? compositionOf(registry, parent, request.agentPreset) : undefined;
  const options = mergeOptions(baseOptions(registry, provider, parent, composition, request.agentPreset), request.agentOptions);
  if (isLocal && hasImages(request.prompt) && !isYes(composition?.driver.acceptsImages?.(options))) {
    throw new SubagentError('UNSUPPORTED_CAPABILITY', 'the model of this child takes no images');
  }
  const depth = checkDepth(parent.agent.depth, request.maxDepth, registry.limits.depthMax);
  checkRoom(registry, parent);
  return {
    provider,
    parent,
    label: cleanLabel(spec.label),
    childId,
    prompt: copyContent(request.prompt),
    promptBytes,
    cwd: childCwd(parent, request.cwd),
    depth,
    maxDepth: request.maxDepth,
    options,
    preset: request.agentPreset,
    composition,
    outputSchema,
    delivery: spec.delivery,
    callId: spec.callId,
    signal: spec.signal,
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
    if (composition === undefined) throw new SubagentError('UNKNOWN_PRESET', `no preset is named "${preset}"`);
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

function checkShape(spec: SubagentActivationSpec): void {
  const { request, signal, delivery } = (spec ?? {}) as Partial<SubagentActivationSpec>;
  if (typeof request !== 'object' || request === null) throw new SubagentError('INVALID_ARGUMENT', 'a start has a request');
  if (!(signal instanceof AbortSignal)) throw new SubagentError('INVALID_ARGUMENT', 'a start has an AbortSignal');
  if (delivery !== 'parent' && delivery !== 'caller')
    throw new SubagentError('INVALID_ARGUMENT', 'delivery is "parent" or "caller"');
  if (spec.callId !== undefined && typeof spec.callId !== 'string')
    throw new SubagentError('INVALID_ARGUMENT', 'callId is a text');
  if (request.cwd !== undefined && (typeof request.cwd !== 'string' || request.cwd === '' || request.cwd.includes('\0'))) {
    throw new SubagentError('INVALID_ARGUMENT', 'cwd is a path');
  }
}

function checkCapabilities(provider: SubagentProvider, spec: SubagentActivationSpec): void {
  const { capabilities, name } = provider;
  const { agentOptions, agentPreset, outputSchema, maxDepth } = spec.request;
  const asked = { agentOptions, agentPreset, outputSchema, depthLimit: maxDepth };
  for (const key of ['agentOptions', 'agentPreset', 'outputSchema', 'depthLimit'] as const) {
    if (asked[key] === undefined || capabilities[key]) continue;
    const option = key === 'depthLimit' ? 'maxDepth' : key;
    throw new SubagentError('UNSUPPORTED_CAPABILITY', `provider "${name}" does not support ${option}`);
  }
}

function checkChildId(registry: Registry, spec: SubagentActivationSpec, isLocal: boolean): SessionId | undefined {
  if (spec.childId === undefined) return undefined;
  if (!isLocal) throw new SubagentError('UNSUPPORTED_CAPABILITY', `provider "${spec.provider}" names its children itself`);
  const childId = toSessionId(spec.childId);
  if (findResident(registry, childId) !== undefined || registry.externalIds.has(childId)) {
    throw new SubagentError('DUPLICATE_CHILD', `there is an agent ${childId} already`);
  }
  return childId;
}

function childCwd(parent: Residency, cwd: string | undefined): string {
  const base = parent.agent.cwd;
  if (cwd === undefined) return base;
  return isAbsolute(cwd) ? resolve(cwd) : resolve(base, cwd);
}
