/** Starts a child that runs elsewhere: no session, no inbox; it lives until its run's result settles (S2.10). */
import { deliverNotice, noticeKey, noticeMessage } from '../actors/notice.ts';
import type { OpeningPlan, Residency } from '../actors/residency.ts';
import { SubagentError, toSubagentError } from '../errors.ts';
import type { ResolvedSubagentStartRequest, SubagentRun } from '../providers/contract.ts';
import { isSessionId } from '../sessions/ids.ts';
import { oneLine } from '../sessions/one-line.ts';
import { checkedRun, takeBack } from './external-run.ts';
import { findResident, newEvent, type Registry } from './registry.ts';
import { isReserved } from './reserved-ids.ts';
import type { CheckedStart } from './start-request.ts';

const externalIdCharactersMax = 256;

export function externalPlan(registry: Registry, start: CheckedStart): OpeningPlan {
  return async (residency, signal) => {
    const run = await startRun(registry, start, signal);
    try {
      signal.throwIfAborted(); // with why it was stopped
      await claimId(registry, run);
      signal.throwIfAborted();
      if (start.delivery === 'parent') await enterCatalog(registry, start, run);
      if (residency.isReleased) await abandon(registry, start, run);
    } catch (fault) {
      // said before the run is disposed: that may take until the deadline of the start, which is not the reason
      residency.openingFault ??= fault;
      await takeBack(registry, run);
      throw fault;
    }
    adopt(registry, residency, run);
    return { queued: 1, parked: 0 };
  };
}

async function startRun(registry: Registry, start: CheckedStart, signal: AbortSignal): Promise<SubagentRun> {
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
  let run: unknown;
  try {
    run = await provider.start?.(request);
  } catch (fault) {
    throw toSubagentError(fault, 'PROVIDER_FAILED', `provider "${provider.name}" could not start a child`);
  }
  return checkedRun(registry, provider.name, run);
}

/** External ids are unique among all parents, providers and sessions of the runtime, for ever (S1.9). */
async function claimId(registry: Registry, { id }: SubagentRun): Promise<void> {
  // it is shown to models and people, one line each
  if (id === '' || id.length > externalIdCharactersMax || id !== oneLine(id).toWellFormed() || isReserved(id))
    throw new SubagentError('PROVIDER_FAILED', 'the id of an external child has 1 to 256 printable characters, in one line');
  if (findResident(registry, id) !== undefined || registry.externalIds.has(id)) throw taken(id);
  registry.externalIds.add(id);
  if (isSessionId(id) && (await registry.store.head(id)) !== undefined) throw taken(id);
}

function taken(id: string): SubagentError {
  return new SubagentError('DUPLICATE_CHILD', `an external child came with the id ${id}, which is taken`);
}

/** Published after it was given up: its parent lists it, and hears that it has ended. */
async function abandon(registry: Registry, start: CheckedStart, run: SubagentRun): Promise<never> {
  const diagnostic = 'it was started too late and was given up';
  if (start.delivery === 'parent') {
    const subject = { childId: run.id, label: start.label, key: noticeKey(run.id, 1) };
    const result = { output: [], stopReason: 'aborted', diagnostic } as const;
    const notice = noticeMessage(subject, result, registry.limits.resultBytes);
    await deliverNotice(registry, start.parent, notice).catch((fault: unknown) => registry.report('notice', fault));
  }
  throw new SubagentError('TIMED_OUT', `agent ${run.id}: ${diagnostic}`);
}

async function enterCatalog(registry: Registry, start: CheckedStart, run: SubagentRun): Promise<void> {
  const entry = { id: run.id, mode: 'external', label: start.label, createdAt: registry.clock.now() } as const;
  try {
    await start.parent.session?.append([newEvent(registry, 'subagent/child', entry)]);
  } catch (fault) {
    throw toSubagentError(fault, 'STORE_FAILED', 'the catalog entry could not be written');
  }
}

function adopt(registry: Registry, residency: Residency, run: SubagentRun): void {
  residency.adopt(run);
  registry.externals.set(run.id, residency);
}
