/** What a session still owes, kept up to date by its store with each append so that recovery reads no log to find it. */
import type { NewSessionEvent, SessionHeader } from './event.ts';

export interface Pending {
  /** Accepted messages that wake and that nobody has claimed or discarded. */
  readonly unclaimed: number;
  readonly hasOpenTurn: boolean;
  /** Of a child: an activation has begun, and either its end is not written yet or the parent has not been told of it. */
  readonly hasUndeliveredNotice: boolean;
}

export const nothingPending: Pending = { unclaimed: 0, hasOpenTurn: false, hasUndeliveredNotice: false };

export function isPending(pending: Pending): boolean {
  return pending.unclaimed > 0 || pending.hasOpenTurn || pending.hasUndeliveredNotice;
}

/** What a new log owes: inherited events are the donor's affair, so only those after the seed count. */
export function pendingAtBirth(header: SessionHeader, events: readonly NewSessionEvent[]): Pending {
  return pendingAfter(header, nothingPending, events.slice(header.inheritedEvents));
}

export function pendingAfter(
  { delegationDepth }: Pick<SessionHeader, 'delegationDepth'>,
  before: Pending,
  events: readonly NewSessionEvent[],
): Pending {
  const isChild = delegationDepth > 0;
  let { unclaimed, hasOpenTurn, hasUndeliveredNotice } = before;
  for (const event of events) {
    switch (event.type) {
      case 'inbox/inserted':
        if (!event.data.wakes) break;
        unclaimed++;
        hasUndeliveredNotice ||= isChild;
        break;
      case 'inbox/claimed':
      case 'inbox/discarded':
        unclaimed -= event.data.waking;
        break;
      case 'turn/started':
        hasOpenTurn = true;
        hasUndeliveredNotice ||= isChild;
        break;
      case 'turn/ended':
        hasOpenTurn = false;
        break;
      case 'activation/ended':
        hasUndeliveredNotice = event.data.notice !== undefined;
        break;
      case 'notice/delivered':
        hasUndeliveredNotice = false;
        break;
      default:
    }
  }
  return { unclaimed, hasOpenTurn, hasUndeliveredNotice };
}
