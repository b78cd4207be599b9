/** Reads all sessions of a store that can be found: top-level ones, what catalogs list, what is owed, and ids that are given. */
import type { SessionEventOf } from '../../sessions/event.ts';
import { isSessionId, type SessionId } from '../../sessions/ids.ts';
import type { Pending } from '../../sessions/pending.ts';
import type { SessionHead, SessionStore } from '../../sessions/store.ts';
import type { RecordedSession } from './trace.ts';

export interface StoredSession extends RecordedSession {
  readonly head: SessionHead;
  /** As the store lists it. */
  readonly children: readonly SessionEventOf<'subagent/child'>[];
  /** What the store says that it owes; absent if it does not list it. */
  readonly pending?: Pending;
}

export interface StoredTrace {
  readonly sessions: readonly StoredSession[];
  /** Ids of the top-level sessions, in the order of the store. */
  readonly roots: readonly string[];
}

/** Rejects with what the store rejects with: a log that cannot be read cannot be judged. */
export async function readStore(store: SessionStore, ids: Iterable<string>): Promise<StoredTrace> {
  const roots = (await store.roots()).map(({ header }) => header.id);
  const pending = new Map((await store.pending()).map((one) => [one.header.id as string, one.pending]));
  const wanted = new Set<string>([...roots, ...pending.keys(), ...ids]);
  const sessions: StoredSession[] = [];
  for (const id of wanted) {
    if (!isSessionId(id)) continue;
    const session = await readSession(store, id, pending.get(id));
    if (session === undefined) continue;
    sessions.push(session);
    for (const { data } of session.children) wanted.add(data.id);
    if (session.header.parentSession !== undefined) wanted.add(session.header.parentSession);
  }
  return { sessions, roots };
}

async function readSession(store: SessionStore, id: SessionId, pending: Pending | undefined): Promise<StoredSession | undefined> {
  const head = await store.head(id);
  if (head === undefined) return undefined;
  const events = await store.read(id);
  const children = await store.children(id);
  return { header: head.header, events, head, children, ...(pending !== undefined && { pending }) };
}
