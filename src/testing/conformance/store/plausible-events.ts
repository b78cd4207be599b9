/** Events that a runtime could write next: only waiting messages are claimed, only open turns end. */
import type { NewSessionEvent } from '../../../sessions/event.ts';
import type { Random } from '../../simulation/random.ts';
import { waitingIn } from './owed.ts';
import { child, inserted, messageId, turnEnded, turnStarted } from './samples.ts';

const kinds = ['insert', 'insert', 'claim', 'discard', 'edit', 'promote', 'start', 'end', 'seal', 'deliver', 'child'] as const;

/** Up to five, behind `before`. */
export function plausibleEvents(before: readonly Pick<NewSessionEvent, 'type' | 'data'>[], random: Random): NewSessionEvent[] {
  const events: NewSessionEvent[] = [];
  for (let left = random.below(6); left > 0; left--) {
    const all = [...before, ...events] as NewSessionEvent[];
    const event = plausibleEvent(all, random);
    if (event !== undefined) events.push(event);
  }
  return events;
}

function plausibleEvent(before: readonly NewSessionEvent[], random: Random): NewSessionEvent | undefined {
  const time = before.length;
  const waiting = [...waitingIn(before)];
  const types = before.map(({ type }) => type);
  const isOpen = types.lastIndexOf('turn/started') > types.lastIndexOf('turn/ended');
  const some = waiting.slice(0, 1 + random.below(3));
  const taken = { messageIds: some.map(([id]) => messageId(id)), waking: some.filter(([, wakes]) => wakes).length };
  const first = messageId(waiting[0]?.[0] ?? '');
  switch (random.pick(kinds)) {
    case 'insert':
      return inserted(`m${time}`, { wakes: random.chance(0.7) });
    case 'claim':
      return some.length > 0 ? { type: 'inbox/claimed', time, data: { ...taken, turnId: 't' } } : undefined;
    case 'discard':
      return some.length > 0 ? { type: 'inbox/discarded', time, data: { ...taken, reason: 'disposed' } } : undefined;
    case 'edit':
      return some.length > 0 ? { type: 'inbox/edited', time, data: { messageId: first, content: [] } } : undefined;
    case 'promote':
      return some.length > 0 ? { type: 'inbox/promoted', time, data: { messageId: first } } : undefined;
    case 'start':
      return isOpen ? undefined : turnStarted;
    case 'end':
      return isOpen ? turnEnded : undefined;
    case 'seal': {
      const notice = random.chance(0.5) && { notice: messageId(`n${time}`) };
      return { type: 'activation/ended', time, data: { runId: 'r', epoch: 1, stopReason: 'completed', ...notice } };
    }
    case 'deliver':
      return types.includes('activation/ended')
        ? { type: 'notice/delivered', time, data: { notice: messageId('n') } }
        : undefined;
    case 'child':
      return child(`c${time}`);
  }
}
