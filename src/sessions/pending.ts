/** What a session still owes, kept up to date by its store with each append so that recovery reads no log to find it. */
import type { NewSessionEvent, SessionHeader } from './event.ts';

export interface Pending {
  /** Accepted messages that wake and that nobody has claimed or discarded. */
  readonly unclaimed: number;
  readonly hasOpenTurn: boolean;
  /** An activation ended and its parent has not been told yet. */
  readonly hasUndeliveredNotice: boolean;
}

export const nothingPending: Pending = { unclaimed: 0, hasOpenTurn: false, hasUndeliveredNotice: false };

export function isPending(pending: Pending): boolean {
  return pending.unclaimed > 0 || pending.hasOpenTurn || pending.hasUndeliveredNotice;
}

/** What a new log owes: inherited events are the donor's affair, so only those after the seed count. */
export function pendingAtBirth(header: SessionHeader, events: readonly NewSessionEvent[]): Pending {
  return pendingAfter(nothingPending, events.slice(header.inheritedEvents));
}

export function pendingAfter(before: Pending, events: readonly NewSessionEvent[]): Pending {
  let { unclaimed, hasOpenTurn, hasUndeliveredNotice } = before;
  for (const event of events) {
    switch (event.type) {
      case 'inbox/inserted':
        if (event.data.wakes) unclaimed++;
        break;
      case 'inbox/claimed':
      case 'inbox/discarded':
        unclaimed -= event.data.waking;
        break;
      case 'turn/started':
        hasOpenTurn = true;
        break;
      case 'turn/ended':
        hasOpenTurn = false;
        break;
      case 'activation/ended':
        if (event.data.notice !== undefined) hasUndeliveredNotice = true;
        break;
      case 'notice/delivered':
        hasUndeliveredNotice = false;
        break;
      default:
    }
  }
  return { unclaimed, hasOpenTurn, hasUndeliveredNotice };
}
