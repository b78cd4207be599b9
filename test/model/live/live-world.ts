/**
 * The surroundings of an activation as the real runtime makes them: stricter than `activation-world.ts`, which allows whatever
 * the ports promise. One session has one writer, so its writes are answered in the order in which they were asked for; some
 * answers come by themselves, with nothing in between. A path through this world can be walked with a live agent.
 */
import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import type { ActivationEvent, ActivationKind } from '../../../src/machines/index.ts';
import { activationModel, pathKeys, stateKeyOf } from '../activation-model.ts';
import { type ActivationWorld, isEnding, isRunning, isSettled, type Scope } from '../activation-world.ts';
import { firstStep, type Model, nextStep } from '../explore.ts';
import type { Keys } from '../paths.ts';

/** Writes under way on the agent's session, oldest first. A claim goes through by itself. */
type Writes = '' | 'offer' | 'seal' | 'flush' | 'offer,claim' | 'seal,offer' | 'offer,flush';

export interface LiveWorld extends ActivationWorld {
  readonly writes: Writes;
  /** The event that comes next by itself. */
  readonly due: ActivationEvent['type'] | '';
  /** The turn has claimed just now, and the claim is not written yet. */
  readonly isClaiming: boolean;
  /** Started by its parent, with a prompt; the others are resumed from the store. */
  readonly isFresh: boolean;
  /** A stop or a release with children bounds what is left. */
  readonly isDraining: boolean;
  /** The external run ended with a fault. */
  readonly isFaulty: boolean;
}

const liveScope: Scope = {
  bounds: { queuedMax: 2, offeredMax: 1, childrenMax: 1 },
  parkedMax: 1,
  outcomes: ['completed'],
  mails: ['keep'],
  followsOutcome: false,
};
const hostScope: Scope = { ...liveScope, bounds: { ...liveScope.bounds, queuedMax: 1 } };

export function liveModel(kind: ActivationKind, machine: AnyStateMachine): Model<LiveWorld> {
  const base = activationModel(kind, kind === 'host' ? hostScope : liveScope, machine);
  return {
    ...base,
    name: `live activation (${kind})`,
    start: () => ({
      ...base.start(),
      writes: '',
      due: '',
      isClaiming: false,
      isFresh: false,
      isDraining: false,
      isFaulty: false,
    }),
    options: (snapshot, world) => liveOptions(kind, snapshot, world),
    follow: (world, event, effects, before, after) => {
      const next = { ...world, ...base.follow(world, event, effects, before, after) };
      return { ...next, ...liveFacts(kind, world, next, event as ActivationEvent | undefined, effects) };
    },
    rules: {},
  };
}

export const liveKeys: Keys<LiveWorld> = {
  state: (snapshot, world) => `${pathKeys.state(snapshot, world)} ${world.isFaulty}`,
  facts: (world) =>
    [
      pathKeys.facts(world),
      world.writes,
      world.due,
      world.isClaiming,
      world.isFresh,
      world.isDraining,
      world.isFaulty,
      world.queued,
    ].join(' '),
};
export const liveStateKeyOf = stateKeyOf;

/** Whether an event comes by itself after those before it. */
export function followsByItself(world: LiveWorld, event: EventObject): boolean {
  if (world.due === event.type || (world.isClaiming && event.type === 'message.returned')) return true;
  return hasLostOffer(world) && (event.type === 'message.refused' || event.type === 'message.uncertain');
}

/** The write of an offer has lost the fence; whether the store knows what became of it decides what its sender hears. */
const hasLostOffer = ({ isFenced, writes }: LiveWorld) => isFenced && writes === 'offer';

function liveFacts(
  kind: ActivationKind,
  before: LiveWorld,
  next: LiveWorld,
  event: ActivationEvent | undefined,
  effects: readonly string[],
): Partial<LiveWorld> {
  const type = event?.type;
  const isLocal = kind !== 'external';
  let writes: string[] = before.writes.split(',').filter((write) => write !== '');
  const answered = type !== undefined && isAnswerTo(writes[0], type, before.isFenced);
  if (answered) writes = writes.slice(1);
  if (type === 'fence.lost' && before.writes !== '') writes = writes.slice(0, 1);
  if (writes[0] === 'claim') writes = writes.slice(1);
  const isOpen = next.materialize === 'answered';
  if (isOpen && (type === 'message.offered' || type === 'activation.materialized') && next.offered > 0) writes.push('offer');
  if (isLocal && type === 'message.claimed' && writes.length > 0) writes.push('claim');
  if (isLocal && effects.includes('seal')) writes.push('seal');
  if (isLocal && effects.includes('flush')) writes.push('flush');
  const isStopped = type === 'dispose.requested' || (effects.includes('stopChildren') && next.children > 0);
  return {
    writes: writes.join(',') as Writes,
    due: dueAfter(kind, before, type, effects),
    isClaiming: isLocal && type === 'message.claimed' && before.due === 'message.claimed' && before.writes === '',
    isFresh:
      before.isFresh ||
      (kind === 'local' && event?.type === 'activation.materialized' && event.queued === 1 && event.parked === 0),
    isDraining: before.isDraining || isStopped,
    isFaulty: before.isFaulty || (kind === 'external' && event?.type === 'turn.ended' && event.outcome === 'failed'),
  };
}

function isAnswerTo(write: string | undefined, type: ActivationEvent['type'], isFenced: boolean): boolean {
  if (write === 'offer') return ['message.accepted', 'message.parked', 'message.refused', 'message.uncertain'].includes(type);
  if (write === 'seal') return type === 'session.sealed' || type === 'seal.failed';
  if (write === 'flush') return type === 'session.flushed' || type === 'flush.failed';
  return isFenced && write === 'claim';
}

/** What the step makes come next by itself. */
function dueAfter(
  kind: ActivationKind,
  before: LiveWorld,
  type: ActivationEvent['type'] | undefined,
  effects: readonly string[],
): LiveWorld['due'] {
  if (effects.includes('beginTurn')) return 'message.claimed';
  if (type === 'message.returned') return 'turn.failed';
  if (effects.includes('capture')) return kind === 'external' && before.isFaulty ? 'capture.failed' : 'result.captured';
  if (kind === 'external' && effects.includes('seal')) return 'session.sealed';
  if (kind === 'external' && effects.includes('flush')) return 'session.flushed';
  if (type === 'fence.lost' && before.writes === 'seal') return 'seal.failed';
  if (type === 'fence.lost' && before.writes.endsWith('flush')) return 'flush.failed';
  if (type === 'fence.lost' && before.materialize === 'asked') return 'activation.failed';
  return '';
}

function liveOptions(kind: ActivationKind, snapshot: AnyMachineSnapshot, world: LiveWorld): ActivationEvent[] {
  if (world.due === 'message.claimed') return [{ type: 'message.claimed', queued: world.queued, parked: world.parked }];
  if (world.due !== '') return [{ type: world.due } as ActivationEvent];
  if (hasLostOffer(world)) return [{ type: 'message.refused' }, { type: 'message.uncertain' }];
  const head = world.writes.split(',')[0];
  if (head === 'seal' && !isSettled(snapshot)) return [{ type: 'session.sealed' }, { type: 'seal.failed' }];
  return [
    ...opening(kind, world),
    ...writing(kind, world),
    ...turning(kind, world),
    ...ending(kind, snapshot, world),
    ...(world.children > 0 ? [{ type: 'xstate.done.actor.activation' } as const] : []),
    ...commanding(kind, snapshot, world),
  ];
}

function opening(kind: ActivationKind, world: LiveWorld): ActivationEvent[] {
  if (world.materialize === 'answered') return [];
  const isAsked = world.materialize === 'asked';
  const fresh = { type: 'activation.materialized', queued: 1, parked: 0 } as const;
  const stored = (queued: number, parked: number) => ({ ...fresh, queued, parked });
  const failed = { type: 'activation.failed' } as const;
  if (kind === 'external') return [...(isAsked ? [fresh] : []), failed];
  if (kind === 'host') return isAsked ? [stored(0, 0), failed] : [failed];
  // a resumed session is written while it opens, if its last turn was cut off
  const lost = isAsked && world.offered === 0 && !world.isFenced ? [{ type: 'fence.lost' } as const] : [];
  return [fresh, ...(isAsked ? [stored(0, 0), stored(0, 1)] : []), failed, ...lost];
}

function writing(kind: ActivationKind, world: LiveWorld): ActivationEvent[] {
  const canLose = kind !== 'external' && !world.isFenced;
  const lost = canLose ? [{ type: 'fence.lost' } as const] : [];
  switch (world.writes) {
    case 'offer':
    case 'offer,claim':
    case 'offer,flush': {
      const isParked = kind === 'host' && world.queued === 0 && world.parked === 0;
      return [
        { type: 'message.accepted' },
        { type: 'message.refused' },
        ...(isParked ? [{ type: 'message.parked' } as const] : []),
        ...(world.writes === 'offer,claim' ? [] : lost),
      ];
    }
    case 'seal':
    case 'seal,offer':
      return [{ type: 'session.sealed' }, { type: 'seal.failed' }, ...(world.writes === 'seal' ? lost : [])];
    case 'flush':
      return [{ type: 'session.flushed' }, { type: 'flush.failed' }, ...lost];
    default:
      return [];
  }
}

function turning(kind: ActivationKind, world: LiveWorld): ActivationEvent[] {
  if (world.turn !== 'running' && world.turn !== 'stopping') return [];
  const overdue = world.turn === 'stopping' ? [{ type: 'turn.overdue' } as const] : [];
  if (kind === 'external') {
    return [{ type: 'turn.ended', outcome: 'completed' }, { type: 'turn.ended', outcome: 'failed' }, ...overdue];
  }
  const returned = { type: 'message.returned', queued: world.claimed, parked: world.claimedParked } as const;
  const isQuiet = world.writes === '';
  return [
    ...(world.isClaiming ? [returned] : []),
    ...(isQuiet && !world.isFenced
      ? [{ type: 'turn.ended', outcome: 'completed' } as const, { type: 'fence.lost' } as const]
      : []),
    ...(isQuiet ? [{ type: 'turn.failed' } as const] : []),
    ...(isQuiet && world.isFresh && world.turn === 'running' && !world.isInboxClosed ? [{ type: 'inbox.closed' } as const] : []),
    ...overdue,
  ];
}

function ending(kind: ActivationKind, snapshot: AnyMachineSnapshot, world: LiveWorld): ActivationEvent[] {
  const isWaiting = snapshot.matches({ releasing: 'stopping' }) || snapshot.matches({ releasing: 'emptying' });
  const isCancelled = snapshot.matches({ materializing: 'aborting' });
  const isBounded = world.isDraining && !world.isExpired && (isWaiting || (isCancelled && kind !== 'host'));
  return [
    ...(isBounded ? [{ type: 'release.expired' } as const] : []),
    ...(world.dispose === 'asked' ? [{ type: 'resources.disposed' } as const, { type: 'dispose.failed' } as const] : []),
    ...(world.notify === 'asked' ? [{ type: 'parent.notified' } as const, { type: 'notify.failed' } as const] : []),
  ];
}

function commanding(kind: ActivationKind, snapshot: AnyMachineSnapshot, world: LiveWorld): ActivationEvent[] {
  const isOpen = world.materialize === 'answered';
  const isWriting = world.writes !== '';
  const hasRoom = world.queued + world.claimed + world.offered < (kind === 'host' ? 1 : 2);
  const isOfferable = hasRoom && (!isWriting || world.writes === 'seal') && (kind === 'local' || (isOpen && world.parked === 0));
  const isStoppable = kind !== 'host' || isOpen;
  const events: (ActivationEvent | false)[] = [
    isOfferable && { type: 'message.offered' },
    isStoppable && { type: 'dispose.requested', mail: 'keep' },
    kind !== 'host' && { type: 'interrupt.requested' },
    kind !== 'external' && isStoppable && !world.isCut && { type: 'delegation.closed' },
    // a start reads the catalog of its parent, behind what is being written there
    isOpen && (!isWriting || world.writes === 'seal') && { type: 'child.attached' },
    kind === 'local' &&
      isOpen &&
      !isWriting &&
      !isEnding(snapshot) &&
      world.queued > 0 && { type: 'message.removed', isParked: false },
    kind === 'local' &&
      isOpen &&
      !isWriting &&
      !isRunning(snapshot) &&
      world.parked > 0 && { type: 'message.removed', isParked: true },
  ];
  return events.filter((event) => event !== false).filter((event) => snapshot.can(event));
}

/** The path with all that comes by itself after it. */
export function complete(model: Model<LiveWorld>, events: readonly EventObject[]): EventObject[] {
  const all = [...events];
  let at = firstStep(model).after;
  for (let index = 0; ; index++) {
    const [next] = index < all.length ? [] : model.options(at.snapshot, at.world);
    if (next && followsByItself(at.world, next) && next.type !== 'message.returned') all.push(next);
    const event = all[index];
    if (event === undefined) return all;
    at = nextStep(model, at, event).after;
  }
}
