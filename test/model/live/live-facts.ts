/**
 * The surroundings of an activation as the real runtime makes them: stricter than `activation-world.ts`, which allows whatever
 * the ports promise. One session has one writer, so its writes are answered in the order in which they were asked for; some
 * answers come by themselves, with nothing in between. A path through this world can be walked with a live agent.
 */
import type { EventObject } from 'xstate';
import type { ActivationEvent, ActivationKind } from '../../../src/machines/index.ts';
import type { ActivationWorld } from '../activation-world.ts';

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

/** Whether an event comes by itself after those before it. */
export function followsByItself(world: LiveWorld, event: EventObject): boolean {
  if (world.due === event.type || (world.isClaiming && event.type === 'message.returned')) return true;
  return hasLostOffer(world) && (event.type === 'message.refused' || event.type === 'message.uncertain');
}

/** The write of an offer has lost the fence; whether the store knows what became of it decides what its sender hears. */
export const hasLostOffer = ({ isFenced, writes }: LiveWorld) => isFenced && writes === 'offer';

export function liveFacts(
  kind: ActivationKind,
  before: LiveWorld,
  next: LiveWorld,
  event: ActivationEvent | undefined,
  effects: readonly string[],
  outcome: string,
): Partial<LiveWorld> {
  const type = event?.type;
  const isLocal = kind !== 'external';
  let writes: string[] = before.writes.split(',').filter((write) => write !== '');
  const answered = type !== undefined && isAnswerTo(writes[0], type, before.isFenced);
  if (answered) writes = writes.slice(1);
  if (before.writes === 'seal,offer' && type === 'message.refused') writes = ['seal'];
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
    due: isEndOfNothing(kind, before, effects, outcome) ? 'parent.notified' : dueAfter(kind, before, type, effects),
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

/** It came back from the store for nothing: there is no end that its parent would be told of. */
function isEndOfNothing(kind: ActivationKind, { isFresh }: LiveWorld, effects: readonly string[], outcome: string): boolean {
  return kind === 'local' && !isFresh && outcome === 'none' && effects.includes('notify');
}

/** What was appended behind a refused write is refused with it. */
function refusedWith({ writes, isFenced }: LiveWorld, type: ActivationEvent['type'] | undefined): LiveWorld['due'] | undefined {
  const [first, second] = writes.split(',');
  if (type !== 'message.refused' || isFenced) return undefined;
  // the sender of the message hears of it before the seal does
  if (first === 'seal') return 'seal.failed';
  return second === 'claim' ? 'message.returned' : undefined;
}

/** What the step makes come next by itself. */
function dueAfter(
  kind: ActivationKind,
  before: LiveWorld,
  type: ActivationEvent['type'] | undefined,
  effects: readonly string[],
): LiveWorld['due'] {
  if (effects.includes('beginTurn')) return 'message.claimed';
  const refused = refusedWith(before, type);
  if (refused !== undefined) return refused;
  if (type === 'message.returned') return 'turn.failed';
  if (effects.includes('capture')) return kind === 'external' && before.isFaulty ? 'capture.failed' : 'result.captured';
  if (kind === 'external' && effects.includes('seal')) return 'session.sealed';
  if (kind === 'external' && effects.includes('flush')) return 'session.flushed';
  if (type === 'fence.lost' && before.writes === 'seal') return 'seal.failed';
  if (type === 'fence.lost' && before.writes === 'flush') return 'flush.failed';
  const isLostOffer = hasLostOffer(before) && (type === 'message.refused' || type === 'message.uncertain');
  if (isLostOffer && before.flush === 'asked') return 'flush.failed'; // the flush waits for what is being written
  if (type === 'fence.lost' && before.materialize === 'asked') return 'activation.failed';
  return '';
}
