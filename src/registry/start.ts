/**
 * Starts a child (S1.1). Admission is one synchronous block: nothing can come between the checks, the capacity and the
 * parent's count. What follows is the child's own first state.
 */
import { type ActivationActor, Residency } from '../actors/residency.ts';
import { supervise } from '../actors/supervise.ts';
import { SubagentError, toSubagentError } from '../errors.ts';
import type { SubagentActivation, SubagentActivationSpec } from '../providers/contract.ts';
import type { MessageId } from '../sessions/ids.ts';
import { ActivationHandle } from './activation-handle.ts';
import { externalPlan } from './external-child.ts';
import { localPlan } from './local-child.ts';
import { onAbort } from './on-abort.ts';
import type { Registry } from './registry.ts';
import { type CheckedStart, checkStart } from './start-request.ts';

export async function startActivation(registry: Registry, spec: SubagentActivationSpec): Promise<SubagentActivation> {
  const start = checked(registry, spec);
  const messageId = start.provider.prepareContinuable === undefined ? undefined : (registry.ids.next() as MessageId);
  const residency = admit(registry, start, messageId);
  const { signal } = start;
  const cancel = () => {
    if (residency.isOpened) return; // published; the caller has only not heard of it yet
    residency.openingFault ??= new SubagentError('CANCELLED', 'the start was cancelled', { cause: signal.reason });
    residency.send({ type: 'dispose.requested', mail: 'discard' });
    registry.aborts.fire();
  };
  const forgetSignal = onAbort(signal, cancel);
  try {
    await residency.whenOpened();
  } catch (fault) {
    start.parent.startedChildren--; // it never came to be
    throw fault;
  } finally {
    forgetSignal();
  }
  return new ActivationHandle(registry, residency, messageId);
}

/** What the host's own callbacks throw while it is checked (its directory, its driver) is a refusal like any other. */
function checked(registry: Registry, spec: SubagentActivationSpec): CheckedStart {
  try {
    return checkStart(registry, spec);
  } catch (fault) {
    throw toSubagentError(fault, 'PROVIDER_FAILED', 'the start could not be checked');
  }
}

function admit(registry: Registry, start: CheckedStart, messageId: MessageId | undefined): Residency {
  const { parent, provider } = start;
  const id = start.childId ?? registry.ids.next();
  const residency = new Residency({
    id,
    kind: messageId === undefined ? 'external' : 'local',
    label: start.label,
    depth: start.depth,
    cwd: start.cwd,
    parent,
    provider: provider.name,
    delivery: start.delivery,
    composition: start.composition,
    options: start.options,
    outputSchema: start.outputSchema,
    plan: messageId === undefined ? externalPlan(registry, start) : localPlan(registry, start, messageId),
  });
  enroll(registry, residency);
  parent.startedChildren++;
  supervise(registry, registry.machines, residency, parent.actor);
  return residency;
}

/** Gives a child its run id and its place; both end with it. */
export function enroll(registry: Registry, residency: Residency): void {
  residency.runId = registry.ids.next();
  registry.capacity.take(residency.root, residency);
  residency.onReleased = (released) => forget(registry, released);
}

function forget(registry: Registry, residency: Residency): void {
  registry.residents.delete(residency.id);
  if (residency.run !== undefined) registry.externals.delete(residency.childId);
  residency.parent?.disown(residency);
  registry.returnCapacity(residency);
  registry.hub.forgetParent(residency.id);
  residency.endTurn();
  if (isStranded(residency)) registry.resumeStranded(residency);
  else if (isLostByUs(residency)) registry.recoverLost(residency);
}

/** A write of unknown outcome took its session from it. What another owner has taken over is that owner's to finish. */
function isLostByUs({ lostFault, parent }: Residency): boolean {
  return lostFault?.code === 'OUTCOME_UNKNOWN' && parent !== undefined;
}

/** Its turn was given up and messages were left that nobody claimed. */
function isStranded(residency: Residency): boolean {
  const { reason } = (residency.actor as ActivationActor).getSnapshot().context;
  return reason === 'overdue' && residency.inbox.waiting().some((message) => message.wakes);
}
