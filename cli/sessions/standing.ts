/** What a session's log says of it: how it stands, and what it was asked. */
import {
  errorCode,
  randomIds,
  type SessionEvent,
  type SessionHead,
  type SessionHeader,
  type SessionStore,
  textOf,
} from '../../src/index.ts';
import { parseTask, type SurveyTask } from '../survey/task.ts';
import { printable } from '../terminal/printable.ts';

/**
 * Sessions whose work was cut off: they, or others below them, owe something, and no live process holds those. A top-level
 * session that was cut off before its first event owes nothing yet.
 */
export async function orphansIn(store: SessionStore): Promise<ReadonlySet<string>> {
  const orphans = new Set<string>();
  for (const { header } of await store.pending()) {
    let above: SessionHeader | undefined = header;
    while (above !== undefined && !orphans.has(above.id)) {
      orphans.add(above.id);
      above = above.parentSession === undefined ? undefined : (await store.head(above.parentSession))?.header;
    }
  }
  for (const head of await store.roots()) if (head.seq === 0 && (await isAbandoned(store, head))) orphans.add(head.header.id);
  return orphans;
}

/** On a full disk nothing can be claimed, but a live owner would have been met first. */
async function isAbandoned(store: SessionStore, head: SessionHead): Promise<boolean> {
  if (head.owner === undefined) return true;
  try {
    return await isLeft(store, head);
  } catch (error) {
    if (errorCode(error) === 'STORE_FULL') return true;
    throw error;
  }
}

/** No live process has it. */
export async function isLeft(store: SessionStore, { header }: SessionHead): Promise<boolean> {
  try {
    const { epoch } = await store.claim(header.id, randomIds().next());
    await store.handBack(header.id, epoch);
    return true;
  } catch (error) {
    if (errorCode(error) === 'BUSY') return false;
    throw error;
  }
}

/**
 * `interrupted` if its activation is not over and nobody is left to go on with it; in an open turn, or before the first,
 * `running`. Else how the last turn or activation ended. A top-level agent never settles by itself: its activation ends by
 * being closed, so its last turn counts.
 */
export function standingOf(events: readonly SessionEvent[], header: SessionHeader, orphans: ReadonlySet<string>): string {
  const isOver =
    events.findLast(({ type }) => type === 'turn/started' || type === 'activation/ended')?.type === 'activation/ended';
  if (!isOver && orphans.has(header.id)) return 'interrupted';
  const last = events.findLast(
    ({ type }) =>
      type === 'turn/started' || type === 'turn/ended' || (type === 'activation/ended' && header.parentSession !== undefined),
  );
  // over without the end of a turn: that could not be written
  if (last === undefined || last.type === 'turn/started') return isOver ? 'interrupted' : 'running';
  const { stopReason } = (last as Extract<SessionEvent, { type: 'turn/ended' | 'activation/ended' }>).data;
  return printable(stopReason, 40);
}

/** What a session was first asked to survey, if it was. */
export function taskOf(events: readonly SessionEvent[]): SurveyTask | undefined {
  const first = events.find((event) => event.type === 'inbox/inserted');
  return first?.type === 'inbox/inserted' ? parseTask(textOf(first.data.content)) : undefined;
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
