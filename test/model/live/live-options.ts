/** What can happen next to a live agent. */
import type { AnyMachineSnapshot } from 'xstate';
import type { ActivationEvent, ActivationKind } from '../../../src/machines/index.ts';
import { isEnding, isRunning, isSettled } from '../activation-world.ts';
import { hasLostOffer, type LiveWorld } from './live-facts.ts';

export function liveOptions(kind: ActivationKind, snapshot: AnyMachineSnapshot, world: LiveWorld): ActivationEvent[] {
  if (world.due === 'message.claimed') return [{ type: 'message.claimed', queued: world.queued, parked: world.parked }];
  if (world.due === 'message.returned') return [{ type: 'message.returned', queued: world.claimed, parked: world.claimedParked }];
  if (world.due !== '') return [{ type: world.due } as ActivationEvent];
  if (hasLostOffer(world)) return [{ type: 'message.refused' }, { type: 'message.uncertain' }];
  const head = world.writes.split(',')[0];
  if (head === 'seal' && !isSettled(snapshot)) {
    return [{ type: 'session.sealed' }, { type: world.writes === 'seal,offer' ? 'message.refused' : 'seal.failed' }];
  }
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
      return [{ type: 'session.sealed' }, { type: 'seal.failed' }, ...lost];
    case 'seal,offer':
      return [{ type: 'session.sealed' }, { type: 'message.refused' }];
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
