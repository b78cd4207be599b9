/** Starts a child that runs elsewhere: no session, no inbox; it lives until its run's result settles (S2.10). */
import type { OpeningPlan, Residency } from '../actors/residency.ts';
import { SubagentError, toSubagentError } from '../errors.ts';
import type { ResolvedSubagentStartRequest, SubagentRun } from '../providers/contract.ts';
import { toSessionId } from '../sessions/ids.ts';
import { findResident, newEvent, type Registry, throwIfAborted } from './registry.ts';
import type { CheckedStart } from './start-request.ts';

const externalIdCharactersMax = 256;

export function externalPlan(registry: Registry, start: CheckedStart): OpeningPlan {
  return async (residency, signal) => {
    const run = await startRun(start, signal);
    run.result.catch(() => undefined); // it is read again where it counts; until then it must not end the process
    try {
      throwIfAborted(signal);
      await claimId(registry, start, run);
      throwIfAborted(signal);
      if (start.delivery === 'parent') await enterCatalog(registry, start, run);
      if (residency.isReleased) throw new SubagentError('TIMED_OUT', `agent ${run.id} was started too late and was given up`);
    } catch (fault) {
      await run.dispose().catch((error: unknown) => registry.report('provider', error));
      throw fault;
    }
    adopt(registry, residency, run);
    return { queued: 1, parked: 0 };
  };
}

async function startRun(start: CheckedStart, signal: AbortSignal): Promise<SubagentRun> {
  const { provider, parent, options, preset, outputSchema, maxDepth } = start;
  const request: ResolvedSubagentStartRequest = {
    cwd: start.cwd,
    label: start.label,
    prompt: start.prompt,
    parent: parent.agent,
    signal,
    ...(provider.capabilities.agentOptions && { agentOptions: options }),
    ...(preset !== undefined && { agentPreset: preset }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(maxDepth !== undefined && { maxDepth }),
  };
  try {
    const run = await provider.start?.(request);
    if (typeof run?.id === 'string' && run.result instanceof Promise && typeof run.dispose === 'function') return run;
  } catch (fault) {
    throw toSubagentError(fault, 'PROVIDER_FAILED', `provider "${provider.name}" could not start a child`);
  }
  throw new SubagentError('PROVIDER_FAILED', `provider "${provider.name}" started something that is no run`);
}

/** External ids are unique among all parents, providers and sessions of the runtime, for ever (S1.9). */
async function claimId(registry: Registry, start: CheckedStart, run: SubagentRun): Promise<void> {
  const { id } = run;
  if (id === '' || id.length > externalIdCharactersMax)
    throw new SubagentError('PROVIDER_FAILED', 'the id of an external child has 1 to 256 characters');
  if (findResident(registry, id) !== undefined || registry.externalIds.has(id)) throw taken(id);
  registry.externalIds.add(id);
  const parentId = start.parent.session?.id;
  const known = parentId === undefined ? [] : await registry.store.children(parentId);
  if (known.some((entry) => entry.data.id === id)) throw taken(id);
  if (isSessionId(id) && (await registry.store.head(toSessionId(id))) !== undefined) throw taken(id);
}

function isSessionId(id: string): boolean {
  try {
    toSessionId(id);
    return true;
  } catch {
    return false; // toSessionId throws for nothing else
  }
}

function taken(id: string): SubagentError {
  return new SubagentError('DUPLICATE_CHILD', `an external child came with the id ${id}, which is taken`);
}

async function enterCatalog(registry: Registry, start: CheckedStart, run: SubagentRun): Promise<void> {
  const entry = { id: run.id, mode: 'external', label: start.label, createdAt: registry.clock.now() } as const;
  await start.parent.session?.append([newEvent(registry, 'subagent/child', entry)]);
}

function adopt(registry: Registry, residency: Residency, run: SubagentRun): void {
  residency.run = run;
  registry.externals.set(run.id, residency);
}
