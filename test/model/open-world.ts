/**
 * The machine alone, where any event can come in any state: what must hold even if its surroundings break every promise.
 * The traversal is `@xstate/graph`'s. Traps, all seen: without `events` it sends bare types without their payload; without
 * `stopWhen` it goes on beyond final states; with a key that drops facts, the states along a path are those of whichever
 * path came last, so a path is replayed and never read.
 */
import { getShortestPaths } from '@xstate/graph';
import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import type { ActivationContext, ActivationEvent, ActivationKind } from '../../src/machines/index.ts';
import { inputOf, stateKeyOf } from './activation-model.ts';
import type { Scope } from './activation-world.ts';

/** The bounds that the graph is promised to be small at. */
export const wide: Scope = {
  bounds: { queuedMax: 2, offeredMax: 1, childrenMax: 2 },
  parkedMax: 1,
  outcomes: ['completed'],
  mails: ['keep'],
  followsOutcome: false,
};

const plain = [
  'activation.failed',
  'message.offered',
  'message.accepted',
  'message.refused',
  'message.uncertain',
  'turn.failed',
  'turn.overdue',
  'inbox.closed',
  'delegation.closed',
  'child.attached',
  'interrupt.requested',
  'fence.lost',
  'release.expired',
  'session.sealed',
  'session.flushed',
  'result.captured',
  'resources.disposed',
  'parent.notified',
  'seal.failed',
  'flush.failed',
  'capture.failed',
  'dispose.failed',
  'notify.failed',
  'xstate.done.actor.activation',
  'xstate.error.actor.activation',
] as const;

export function everything({ bounds, parkedMax }: Scope, { queued, parked, offered }: ActivationContext): ActivationEvent[] {
  const room = bounds.queuedMax - queued - offered;
  return [
    ...plain.map((type) => ({ type }) as ActivationEvent),
    { type: 'message.accepted', isNotice: true },
    { type: 'message.removed', isParked: false },
    { type: 'message.removed', isParked: true },
    { type: 'message.claimed', queued: 1, parked: 0 },
    { type: 'message.claimed', queued: 0, parked: 1 },
    { type: 'turn.ended', outcome: 'completed' },
    { type: 'dispose.requested', mail: 'keep' },
    { type: 'activation.materialized', queued: 0, parked: 0 },
    ...(room > 0 ? [{ type: 'activation.materialized', queued: 1, parked: 0 } as const] : []),
    ...(room > 0 ? [{ type: 'message.returned', queued: 1, parked: 0 } as const] : []),
    ...(parked < parkedMax ? [{ type: 'message.parked' } as const] : []),
  ];
}

/** One shortest path to each state. */
export function openWorldStates(machine: AnyStateMachine, kind: ActivationKind, scope = wide): AnyMachineSnapshot[] {
  const paths = getShortestPaths(machine, {
    input: inputOf(kind, scope),
    events: (snapshot: AnyMachineSnapshot) => everything(scope, snapshot.context as ActivationContext) as EventObject[],
    serializeState: stateKeyOf,
    stopWhen: (snapshot: AnyMachineSnapshot) => snapshot.status !== 'active',
    limit: 1_000_000,
  } as never);
  return paths.map(({ state }) => state as AnyMachineSnapshot);
}
