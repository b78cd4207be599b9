/**
 * Gives an agent its actor, under its parent's. XState relays the child's end to the parent; the children themselves are
 * kept in the residency's set, because XState's own record is copied on every transition of the parent.
 */
import { type AnyActorRef, createActor } from 'xstate';
import { toSubagentError } from '../errors.ts';
import type { ActivationMachine } from '../machines/activation.ts';
import type { createAttachmentMachine } from '../machines/attachment.ts';
import { bounded } from './bounded.ts';
import type { ActivationActor, Residency } from './residency.ts';
import type { World } from './world.ts';

export interface Machines {
  readonly activation: ActivationMachine;
  readonly attachment: ReturnType<typeof createAttachmentMachine>;
}

/** Registers the agent, tells its parent before it can run, and starts it. */
export function supervise(world: World, machines: Machines, residency: Residency, parent: AnyActorRef): void {
  const { id, kind } = residency;
  // one actor id for all: XState remembers every event type, so a done event named after the child would never be freed
  residency.actor =
    kind === 'attached'
      ? createActor(machines.attachment, { id: 'attachment', parent, input: { id } })
      : createActor(machines.activation, { id: 'activation', parent, input: { id, kind } });
  world.residents.set(id, residency);
  if (residency.parent === undefined) parent.send({ type: 'agent.opened' });
  else {
    residency.parent.own(residency);
    parent.send({ type: 'child.attached' });
  }
  (residency.actor as ActivationActor).subscribe(residency);
  residency.actor.start();
}

/** Creates or reopens what the agent lives on. */
export function materialize(world: World, residency: Residency): void {
  const { plan } = residency;
  if (plan === undefined) return;
  bounded({
    clock: world.clock,
    ms: world.limits.materializeMs,
    name: 'starting the agent',
    run: () => plan(residency, residency.opening.signal),
    done: (mail) => {
      const isTooLate = residency.opening.signal.aborted;
      residency.markOpened();
      // a host-run agent's machine begins open: it has no turns, so its mail is no count of it
      if (residency.kind !== 'attached') residency.send({ type: 'activation.materialized', ...mail });
      else if (isTooLate) residency.leave();
    },
    failed: (fault) => {
      // a plan that was stopped fails in many ways; why it was stopped is what counts, unless it said itself what went wrong
      const { signal } = residency.opening;
      residency.openingFault ??= signal.aborted
        ? signal.reason
        : toSubagentError(fault, 'PROVIDER_FAILED', 'the agent could not be started');
      residency.opening.abort(residency.openingFault);
      if (residency.kind === 'attached') residency.leave();
      else residency.send({ type: 'activation.failed' });
    },
  });
}
