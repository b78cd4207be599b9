/** The activation machine and its surroundings, of one kind, ready to explore. */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { type ActivationContext, type ActivationKind, activationMachine, noActivationPorts } from '../../src/machines/index.ts';
import { follow } from './activation-follow.ts';
import { rulesOf } from './activation-rules.ts';
import { type ActivationWorld, calm, isAnswer, isEnding, isExpiry, optionsOf, type Scope } from './activation-world.ts';
import type { Model } from './explore.ts';
import type { Keys } from './paths.ts';

export const kinds = ['local', 'external', 'host'] as const;
/** Who may do what, at the bounds that keep it under a thousand states; every turn completes. */
export const flow: Scope = {
  bounds: { queuedMax: 2, offeredMax: 1, childrenMax: 1 },
  parkedMax: 1,
  outcomes: ['completed'],
  mails: ['keep'],
  followsOutcome: false,
};

/** The same with one message: enough for most faults, and a tenth of the states. */
export const briefFlow: Scope = { ...flow, bounds: { ...flow.bounds, queuedMax: 1 } };

/** How it ends, with little mail; `failed` comes by a turn that cannot write. */
export const ends: Scope = {
  bounds: { queuedMax: 1, offeredMax: 1, childrenMax: 1 },
  parkedMax: 0,
  outcomes: ['completed', 'aborted'],
  mails: ['keep', 'discard'],
  followsOutcome: true,
};

export const inputOf = (kind: ActivationKind, { bounds }: Scope = flow) => ({ id: 'a', kind, bounds });

/** The facts that decide what happens next: outcome, reason and failures only travel along, except the lost fence. */
export function stateKeyOf(snapshot: AnyMachineSnapshot): string {
  const { queued, parked, offered, children, isHeld, isInboxClosed, isDelegationClosed, reason } =
    snapshot.context as ActivationContext;
  const facts = [queued, parked, offered, children, isHeld, isInboxClosed, isDelegationClosed, reason === 'fenced'];
  return JSON.stringify([snapshot.value, snapshot.status, ...facts]);
}

const unfollowed = { stop: 'none', lastTurn: 'none', hasFailedStep: false, mail: 'keep' } as const;

/** With the facts that travel along. */
function wholeKeyOf(snapshot: AnyMachineSnapshot): string {
  const { outcome, reason, hasFailedStep, mail } = snapshot.context as ActivationContext;
  return snapshot.status === 'active' ? `${stateKeyOf(snapshot)} ${outcome} ${reason} ${hasFailedStep} ${mail}` : 'over';
}

export function activationModel(
  kind: ActivationKind,
  scope: Scope = flow,
  machine: AnyStateMachine = activationMachine,
): Model<ActivationWorld> {
  return {
    name: `activation (${kind})`,
    machine,
    input: inputOf(kind, scope),
    effectNames: new Set(Object.keys(noActivationPorts)),
    start: () => calm,
    options: optionsOf(kind, scope),
    follow: (world, event, effects, before, after) => {
      const next = follow(world, event as never, effects, before, after);
      return scope.followsOutcome ? next : { ...next, ...unfollowed };
    },
    keyOf: scope.followsOutcome ? wholeKeyOf : stateKeyOf,
    rules: rulesOf(kind, scope),
    isAnswer,
    isExpiry,
  };
}

/** Keys for path generation. What was given up and can still report makes a state of its own. */
export const pathKeys: Keys<ActivationWorld> = {
  state: (snapshot, { isExpired, children, offered }) => {
    const isGivenUp = isExpired && isEnding(snapshot);
    return `${stateKeyOf(snapshot)} ${isGivenUp && children > 0} ${isGivenUp && offered > 0}`;
  },
  facts: (world) =>
    [
      world.materialize,
      world.turn,
      world.hasClaimed,
      world.claimed,
      world.claimedParked,
      world.seals,
      world.flush,
      world.capture,
      world.dispose,
      world.notify,
      world.isBounded,
      world.isExpired,
      world.isFenced,
      world.offered,
      world.children,
    ].join(' '),
};
