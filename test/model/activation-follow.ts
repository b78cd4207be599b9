/** How the world around an activation changes by what happens and by what the machine asks for. */
import type { AnyMachineSnapshot } from 'xstate';
import type { ActivationEvent } from '../../src/machines/index.ts';
import { type ActivationWorld, isEnding, isSettled } from './activation-world.ts';

export function follow(
  world: ActivationWorld,
  event: ActivationEvent | undefined,
  effects: readonly string[],
  before: AnyMachineSnapshot | undefined,
  after: AnyMachineSnapshot,
): ActivationWorld {
  const happened = event && before ? { ...world, ...happen(world, event, before) } : world;
  let asked = happened;
  for (const effect of effects) asked = { ...asked, ...ask(asked, effect) };
  if (isEnding(after)) return { ...asked, ...forgotten };
  const isAtRest = asked.turn === 'none' && asked.queued === 0 && asked.materialize === 'answered';
  return isAtRest ? { ...asked, interrupt: 'none' } : asked;
}

const unclaimed = { hasClaimed: false, claimed: 0, claimedParked: 0 } as const;

/** What no longer decides anything once the end has begun. */
const forgotten = { queued: 0, parked: 0, ...unclaimed, interrupt: 'none', isInboxClosed: false, isCut: false } as const;

function happen(world: ActivationWorld, event: ActivationEvent, before: AnyMachineSnapshot): Partial<ActivationWorld> {
  switch (event.type) {
    case 'activation.materialized':
      return { materialize: 'answered', queued: world.queued + event.queued, parked: world.parked + event.parked };
    case 'activation.failed':
      return { materialize: 'answered', ...(world.materialize === 'asked' ? { lastTurn: 'failed' as const } : {}) };
    case 'message.offered':
      return { offered: world.offered + 1 };
    case 'message.accepted':
      return {
        offered: world.offered - 1,
        queued: world.queued + 1,
        ...(event.isNotice !== true && world.interrupt === 'quiet' ? { interrupt: 'woken' as const } : {}),
      };
    case 'message.parked':
      return { offered: world.offered - 1, parked: world.parked + 1 };
    case 'message.refused':
      return { offered: world.offered - 1 };
    case 'message.uncertain':
      return { offered: world.offered - 1, isFenced: true };
    case 'message.claimed':
      return {
        queued: world.queued - event.queued,
        parked: world.parked - event.parked,
        hasClaimed: true,
        claimed: world.hasClaimed ? 0 : event.queued,
        claimedParked: world.hasClaimed ? 0 : event.parked,
      };
    case 'message.returned':
      return {
        queued: world.queued + event.queued,
        parked: world.parked + event.parked,
        ...unclaimed,
      };
    case 'message.removed':
      return event.isParked ? { parked: world.parked - 1 } : { queued: world.queued - 1 };
    case 'child.attached':
      return { children: world.children + 1 };
    case 'xstate.done.actor.activation':
    case 'xstate.error.actor.activation':
      return { children: Math.max(0, world.children - 1) };
    default:
      return { ...stop(world, event, before), ...answer(world, event, before) };
  }
}

function stop(world: ActivationWorld, event: ActivationEvent, before: AnyMachineSnapshot): Partial<ActivationWorld> {
  switch (event.type) {
    case 'inbox.closed':
      return { isInboxClosed: true };
    case 'delegation.closed':
      return { isCut: true };
    case 'interrupt.requested': {
      if (isEnding(before)) return {};
      if (world.materialize === 'asked' && before.context.kind === 'external') return { stop: 'unfinished' };
      const isStoppable = world.turn === 'running' || world.turn === 'stopping' || world.materialize === 'asked';
      return isStoppable ? { interrupt: 'quiet' } : {};
    }
    case 'dispose.requested': {
      if (isEnding(before)) return {};
      if (isSettled(before)) return { isInboxClosed: true, isCut: true };
      const left = world.queued + world.parked + world.offered + world.children;
      return { stop: left > 0 || world.materialize === 'asked' ? 'unfinished' : 'idle', mail: event.mail };
    }
    case 'fence.lost':
      return { isFenced: true };
    default:
      return {};
  }
}

function answer(world: ActivationWorld, event: ActivationEvent, before: AnyMachineSnapshot): Partial<ActivationWorld> {
  switch (event.type) {
    case 'turn.ended':
      return { turn: 'none', ...unclaimed, ...(world.turn === 'givenUp' ? {} : { lastTurn: event.outcome }) };
    case 'turn.failed':
      return {
        turn: 'none',
        ...unclaimed,
        ...(world.turn === 'givenUp' ? {} : { lastTurn: 'failed' as const }),
        hasFailedStep: world.hasFailedStep || before.matches({ releasing: 'stopping' }),
      };
    case 'turn.overdue':
      return { turn: 'givenUp', ...unclaimed, stop: 'unfinished', hasFailedStep: true };
    case 'release.expired': {
      const isWaited = before.matches({ releasing: 'stopping' }) || before.matches({ releasing: 'emptying' });
      const isLate = isWaited || before.matches({ materializing: 'aborting' });
      const isTurnLeft = before.matches({ releasing: 'stopping' });
      return {
        isBounded: false,
        isExpired: true,
        hasFailedStep: world.hasFailedStep || isLate,
        ...(isTurnLeft ? { turn: 'givenUp' as const, stop: 'unfinished' as const } : {}),
      };
    }
    case 'session.sealed':
    case 'seal.failed':
      return { seals: world.seals - 1, isSealed: true };
    case 'session.flushed':
    case 'flush.failed':
      return { flush: 'answered' };
    case 'result.captured':
    case 'capture.failed':
      return { capture: 'answered' };
    case 'resources.disposed':
      return { dispose: 'answered' };
    case 'dispose.failed':
      return { dispose: 'answered', hasFailedStep: true };
    case 'parent.notified':
    case 'notify.failed':
      return { notify: 'answered' };
    default:
      return {};
  }
}

function ask(world: ActivationWorld, effect: string): Partial<ActivationWorld> {
  switch (effect) {
    case 'materialize':
      return { materialize: 'asked' };
    case 'abortMaterialization':
      return { isBounded: true, ...(world.materialize === 'asked' ? { materialize: 'cancelled' as const } : {}) };
    case 'announceStarted':
      return { started: world.started + 1 };
    case 'announceEnded':
      return { ended: world.ended + 1 };
    case 'returnCapacity':
      return { returned: world.returned + 1 };
    case 'beginTurn':
      return { turn: 'running', interrupt: 'none' };
    case 'stopTurn':
      return world.turn === 'running' ? { turn: 'stopping' } : {};
    case 'stopChildren':
      return { isBounded: true };
    case 'seal':
      return { seals: world.seals + 1, isSealed: false };
    case 'flush':
      return { flush: 'asked' };
    case 'capture':
      return { capture: 'asked' };
    case 'disposeResources':
      return { dispose: 'asked' };
    case 'notify':
      return { notify: 'asked' };
    default:
      return {};
  }
}
