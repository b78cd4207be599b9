/** What a session's log says of it: how it stands, and what it was asked. */
import { type SessionEvent, type SessionHead, type SessionHeader, type SessionStore, textOf } from '../../src/index.ts';
import { parseTask } from '../survey/task.ts';

/** Sessions whose work was cut off: they owe something, and no live process holds them. */
export async function orphansIn(store: SessionStore): Promise<ReadonlySet<string>> {
  return new Set((await store.pending()).map(({ header }) => header.id));
}

/**
 * In an open turn, or before the first: `running`, or `interrupted` if nobody is left to run it. Else how the last turn or
 * activation ended. A top-level agent never settles by itself: its activation ends by being closed, so its last turn counts.
 */
export function standingOf(events: readonly SessionEvent[], header: SessionHeader, orphans: ReadonlySet<string>): string {
  const last = events.findLast(
    ({ type }) =>
      type === 'turn/started' || type === 'turn/ended' || (type === 'activation/ended' && header.parentSession !== undefined),
  );
  if (last === undefined || last.type === 'turn/started') return orphans.has(header.id) ? 'interrupted' : 'running';
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
