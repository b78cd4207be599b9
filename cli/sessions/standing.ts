/** What a session's log says of it: how it stands, and what it was asked. */
import { type SessionEvent, type SessionHead, type SessionStore, textOf } from '../../src/index.ts';
import { parseTask } from '../survey/task.ts';

/**
 * `running` or `interrupted` in an open turn, `new` before the first, else how the last turn or activation ended. A top-level
 * agent never settles by itself: its activation always ends by being closed, so its last turn counts.
 */
export function standingOf(events: readonly SessionEvent[], { owner, header }: Pick<SessionHead, 'owner' | 'header'>): string {
  const last = events.findLast(
    ({ type }) =>
      type === 'turn/started' || type === 'turn/ended' || (type === 'activation/ended' && header.parentSession !== undefined),
  );
  if (last === undefined) return 'new';
  if (last.type === 'turn/started') return owner === undefined ? 'interrupted' : 'running';
  return (last as Extract<SessionEvent, { type: 'turn/ended' | 'activation/ended' }>).data.stopReason;
}

/** The first question of a survey, if it had one. */
export function questionOf(events: readonly SessionEvent[]): string | undefined {
  const first = events.find((event) => event.type === 'inbox/inserted');
  return first?.type === 'inbox/inserted' ? parseTask(textOf(first.data.content))?.question : undefined;
}

/** Undefined if the log is damaged: the others are still worth listing. */
export async function readLog(store: SessionStore, { header }: SessionHead): Promise<readonly SessionEvent[] | undefined> {
  try {
    return await store.read(header.id);
  } catch {
    // `SESSION_DAMAGED` or `SESSION_UNSUPPORTED`; `troupe show` says which.
    return undefined;
  }
}
