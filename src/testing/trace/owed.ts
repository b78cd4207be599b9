/** What a session owes, in an account of our own: the store keeps another, and what stands behind the library's fold is not asked. */
import type { SessionEvent } from '../../sessions/event.ts';
import type { Pending } from '../../sessions/pending.ts';
import type { InsertedEvent, TracedSession } from './trace.ts';

export interface Owed extends Pending {
  /** Accepted, waking, and neither claimed nor discarded. */
  readonly waiting: readonly InsertedEvent[];
  /** The last activation has begun and has not written its end. */
  readonly isUnended: boolean;
}

export function owedBy({ own, header }: TracedSession): Owed {
  const waiting = new Map<string, InsertedEvent>();
  let openTurns = 0;
  /** What was last of: an activation begins, ends, is marked as told. */
  let last: SessionEvent | undefined;
  for (const event of own) {
    if (event.type === 'inbox/inserted' && event.data.wakes) waiting.set(event.data.messageId, event);
    if (event.type === 'inbox/claimed' || event.type === 'inbox/discarded')
      for (const id of event.data.messageIds) waiting.delete(id);
    if (event.type === 'turn/started') openTurns = 1;
    if (event.type === 'turn/ended') openTurns = 0;
    if (isMilestone(event)) last = event;
  }
  const isUnended = last?.type === 'inbox/inserted' || last?.type === 'turn/started';
  const isUntold = last?.type === 'activation/ended' && last.data.notice !== undefined;
  const isChild = (header.delegationDepth ?? 0) > 0;
  return {
    unclaimed: waiting.size,
    hasOpenTurn: openTurns > 0,
    hasUndeliveredNotice: isChild && (isUnended || isUntold),
    waiting: [...waiting.values()],
    isUnended: isChild && isUnended,
  };
}

function isMilestone(event: SessionEvent): boolean {
  switch (event.type) {
    case 'inbox/inserted':
      return event.data.wakes;
    case 'turn/started':
    case 'activation/ended':
    case 'notice/delivered':
      return true;
    default:
      return false;
  }
}
