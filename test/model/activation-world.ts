/** What surrounds one activation: what it is owed, what it was given, and what can happen to it next. */
import type { AnyMachineSnapshot, EventObject } from 'xstate';
import type {
  ActivationBounds,
  ActivationEvent,
  ActivationKind,
  ActivationOutcome,
  MailPolicy,
} from '../../src/machines/index.ts';

type Asked = 'none' | 'asked' | 'answered';

/** Counted by the world itself, never read from the machine. */
export interface ActivationWorld {
  readonly materialize: Asked | 'cancelled';
  readonly turn: 'none' | 'running' | 'stopping' | 'givenUp';
  /** Mail in the log that nobody has claimed; not followed any more once the activation ends. */
  readonly queued: number;
  readonly parked: number;
  /** Whether the turn that runs has claimed what opens it, and how much of that could still come back. */
  readonly hasClaimed: boolean;
  readonly claimed: number;
  readonly claimedParked: number;
  /** Appends under way. */
  readonly offered: number;
  /** Children that have not reported their end. */
  readonly children: number;
  readonly isInboxClosed: boolean;
  readonly isCut: boolean;
  /** A bound on the wait is armed; it has passed. */
  readonly isBounded: boolean;
  readonly isExpired: boolean;
  /** Seals under way: a seal that was overtaken can overlap the next. */
  readonly seals: number;
  readonly isSealed: boolean;
  readonly flush: Asked;
  readonly capture: Asked;
  readonly dispose: Asked;
  readonly notify: Asked;
  readonly started: number;
  readonly ended: number;
  readonly returned: number;
  /** Whether a waking message came after the last interrupt. */
  readonly interrupt: 'none' | 'quiet' | 'woken';
  readonly isFenced: boolean;
  /** How it was stopped, and how its last turn ended. */
  readonly stop: 'none' | 'idle' | 'unfinished';
  readonly lastTurn: ActivationOutcome;
  readonly hasFailedStep: boolean;
  readonly mail: MailPolicy;
}

/** How much can happen: small enough to walk all of it. */
export interface Scope {
  readonly bounds: Required<ActivationBounds>;
  readonly parkedMax: number;
  readonly outcomes: readonly Exclude<ActivationOutcome, 'none'>[];
  readonly mails: readonly MailPolicy[];
  /** Whether outcome, reason and failed steps make states of their own. They only travel along, so once is enough. */
  readonly followsOutcome: boolean;
}

export const calm: ActivationWorld = {
  materialize: 'none',
  turn: 'none',
  queued: 0,
  parked: 0,
  hasClaimed: false,
  claimed: 0,
  claimedParked: 0,
  offered: 0,
  children: 0,
  isInboxClosed: false,
  isCut: false,
  isBounded: false,
  isExpired: false,
  seals: 0,
  isSealed: false,
  flush: 'none',
  capture: 'none',
  dispose: 'none',
  notify: 'none',
  started: 0,
  ended: 0,
  returned: 0,
  interrupt: 'none',
  isFenced: false,
  stop: 'none',
  lastTurn: 'none',
  hasFailedStep: false,
  mail: 'keep',
};

export const isEnding = (snapshot: AnyMachineSnapshot) => snapshot.status !== 'active' || snapshot.hasTag('ending');
export const isRunning = (snapshot: AnyMachineSnapshot) => snapshot.matches({ resident: 'running' });
export const isSettled = (snapshot: AnyMachineSnapshot) => snapshot.matches({ resident: 'settled' });
export const isReleasing = (snapshot: AnyMachineSnapshot) => snapshot.matches('releasing');

const mail = (queued: number, parked: number) => ({ queued, parked });
const event = (value: ActivationEvent) => value;

/** Everything that can happen next, answers first. A message or child is only brought where the machine says that it may. */
export function optionsOf(kind: ActivationKind, scope: Scope) {
  return (snapshot: AnyMachineSnapshot, world: ActivationWorld): readonly ActivationEvent[] => [
    ...materialized(kind, scope, world),
    ...appended(scope, world),
    ...turned(scope, snapshot, world),
    ...(world.children > 0 ? [event({ type: 'xstate.done.actor.activation' })] : []),
    // also where no child is left: a report that comes twice must not kill it
    { type: 'xstate.error.actor.activation' },
    ...(world.isBounded && isEnding(snapshot) ? [event({ type: 'release.expired' })] : []),
    ...stepped(world),
    ...commanded(scope, snapshot, world),
  ];
}

function materialized(kind: ActivationKind, { bounds, parkedMax }: Scope, world: ActivationWorld): ActivationEvent[] {
  if (world.materialize !== 'asked' && world.materialize !== 'cancelled') return [];
  const counts = kind === 'external' ? [mail(1, 0)] : [mail(0, 0), mail(1, 0), mail(0, 1), mail(2, 0)];
  const waiting = world.materialize === 'cancelled' ? counts.slice(0, 1) : counts;
  return [
    ...waiting
      .filter(({ queued }) => queued + world.queued + world.offered <= bounds.queuedMax)
      .filter(({ parked }) => parked + world.parked <= parkedMax)
      .map((counted) => event({ type: 'activation.materialized', ...counted })),
    { type: 'activation.failed' },
  ];
}

function appended({ parkedMax }: Scope, { offered, parked }: ActivationWorld): ActivationEvent[] {
  if (offered === 0) return [];
  return [
    { type: 'message.accepted' },
    { type: 'message.accepted', isNotice: true },
    ...(parked < parkedMax ? [event({ type: 'message.parked' })] : []),
    { type: 'message.refused' },
    { type: 'message.uncertain' },
  ];
}

function turned({ outcomes }: Scope, snapshot: AnyMachineSnapshot, world: ActivationWorld): ActivationEvent[] {
  if (world.turn === 'none') return [];
  if (world.turn === 'givenUp') return [{ type: 'turn.ended', outcome: 'aborted' }, { type: 'turn.failed' }];
  return [
    ...(isEnding(snapshot) ? [] : claims(world)),
    ...(world.hasClaimed || isEnding(snapshot) ? outcomes.map((outcome) => event({ type: 'turn.ended', outcome })) : []),
    { type: 'turn.failed' },
    ...(world.turn === 'stopping' ? [event({ type: 'turn.overdue' })] : []),
  ];
}

/** The first claim opens the turn; only it can come back. The later ones are steering. */
function claims(world: ActivationWorld): ActivationEvent[] {
  const canReturn = world.claimed + world.claimedParked > 0;
  return [
    ...(world.queued > 0 ? [event({ type: 'message.claimed', ...mail(1, 0) })] : []),
    ...(world.parked > 0 ? [event({ type: 'message.claimed', ...mail(0, 1) })] : []),
    ...(canReturn ? [event({ type: 'message.returned', ...mail(world.claimed, world.claimedParked) })] : []),
    ...(world.hasClaimed && !world.isInboxClosed ? [event({ type: 'inbox.closed' })] : []),
  ];
}

function stepped(world: ActivationWorld): ActivationEvent[] {
  return [
    ...(world.seals > 0 ? [event({ type: 'session.sealed' }), event({ type: 'seal.failed' })] : []),
    ...(world.flush === 'asked' ? [event({ type: 'session.flushed' }), event({ type: 'flush.failed' })] : []),
    ...(world.capture === 'asked' ? [event({ type: 'result.captured' }), event({ type: 'capture.failed' })] : []),
    ...(world.dispose === 'asked' ? [event({ type: 'resources.disposed' }), event({ type: 'dispose.failed' })] : []),
    ...(world.notify === 'asked' ? [event({ type: 'parent.notified' }), event({ type: 'notify.failed' })] : []),
  ];
}

function commanded({ bounds, mails }: Scope, snapshot: AnyMachineSnapshot, world: ActivationWorld): ActivationEvent[] {
  // two seals under way show all that more would
  const can = (type: 'message.offered' | 'child.attached') => snapshot.can({ type }) && world.seals < 2;
  const hasRoom = world.queued + world.offered + world.claimed < bounds.queuedMax;
  return [
    ...(hasRoom && can('message.offered') ? [event({ type: 'message.offered' })] : []),
    ...(can('child.attached') ? [event({ type: 'child.attached' })] : []),
    ...(world.queued > 0 && world.started > 0 ? [event({ type: 'message.removed', isParked: false })] : []),
    ...(world.parked > 0 && world.started > 0 ? [event({ type: 'message.removed', isParked: true })] : []),
    ...(world.isCut || isEnding(snapshot) ? [] : [event({ type: 'delegation.closed' })]),
    { type: 'interrupt.requested' },
    ...mails.map((policy) => event({ type: 'dispose.requested', mail: policy })),
    ...(world.isFenced ? [] : [event({ type: 'fence.lost' })]),
  ];
}

const commands: ReadonlySet<string> = new Set([
  'message.offered',
  'child.attached',
  'message.removed',
  'inbox.closed',
  'delegation.closed',
  'interrupt.requested',
  'dispose.requested',
  'fence.lost',
]);
export const isAnswer = ({ type }: EventObject) => !commands.has(type);

const expiries: ReadonlySet<string> = new Set([
  'activation.failed',
  'message.refused',
  'message.uncertain',
  'turn.overdue',
  'release.expired',
  'seal.failed',
  'flush.failed',
  'capture.failed',
  'dispose.failed',
  'notify.failed',
]);
export const isExpiry = ({ type }: EventObject) => expiries.has(type);
