import type { NewSessionEvent } from '../../../sessions/event.ts';
import type { Pending } from '../../../sessions/pending.ts';

/** What the own events of a session owe, counted the slow way: who waits, by name. Undefined if nothing is owed. */
export function owedBy(events: readonly Pick<NewSessionEvent, 'type' | 'data'>[], isChild: boolean): Pending | undefined {
  const own = events as readonly NewSessionEvent[];
  const types = own.map(({ type }) => type);
  const lastWork = own.findLastIndex(
    (event) => event.type === 'turn/started' || (event.type === 'inbox/inserted' && event.data.wakes),
  );
  const lastEnd = types.lastIndexOf('activation/ended');
  const lastTold = types.lastIndexOf('notice/delivered');
  const end = own[lastEnd];
  const isUntold = end?.type === 'activation/ended' && end.data.notice !== undefined && lastEnd > lastTold;
  const owed = {
    unclaimed: [...waitingIn(own).values()].filter((wakes) => wakes).length,
    hasOpenTurn: types.lastIndexOf('turn/started') > types.lastIndexOf('turn/ended'),
    hasUndeliveredNotice: isUntold || (isChild && lastWork > Math.max(lastEnd, lastTold)),
  };
  return owed.unclaimed > 0 || owed.hasOpenTurn || owed.hasUndeliveredNotice ? owed : undefined;
}

/** The messages that nobody has claimed or discarded, in order, and whether each wakes. */
export function waitingIn(events: readonly Pick<NewSessionEvent, 'type' | 'data'>[]): Map<string, boolean> {
  const waiting = new Map<string, boolean>();
  for (const event of events as readonly NewSessionEvent[]) {
    if (event.type === 'inbox/inserted') waiting.set(event.data.messageId, event.data.wakes);
    if (event.type !== 'inbox/claimed' && event.type !== 'inbox/discarded') continue;
    for (const id of event.data.messageIds) waiting.delete(id);
  }
  return waiting;
}
