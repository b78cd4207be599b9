/**
 * Reads all sessions of a store that can be found: top-level ones, what catalogs list, what is owed, and ids that are given.
 *
 * I1  Others may write meanwhile. A log is read before that of its parent, so that what a child has marked as told is there in
 *     the parent's; a child that is found only in the parent's log makes a round more.
 * I2  The accounts of a session are held against its log only if nothing was written to it while it was read.
 */
import { errorCode } from '../../errors.ts';
import type { SessionEventOf } from '../../sessions/event.ts';
import { isSessionId, type SessionId } from '../../sessions/ids.ts';
import type { Pending } from '../../sessions/pending.ts';
import type { SessionHead, SessionStore } from '../../sessions/store.ts';
import { isSame } from './same.ts';
import type { RecordedSession } from './trace.ts';

export interface StoredSession extends RecordedSession {
  /** After the log was read. */
  readonly head: SessionHead;
  /** As the store lists it. */
  readonly children: readonly SessionEventOf<'subagent/child'>[];
  /** What the store says that it owes; absent if it does not list it. */
  readonly pending?: Pending;
  /** Nobody wrote to it, or took it, while it was read. */
  readonly isStill: boolean;
}

export interface StoredTrace {
  readonly sessions: readonly StoredSession[];
  /** Ids of the top-level sessions, in the order of the store. */
  readonly roots: readonly string[];
}

/** New children come while logs are read; a tree that grows faster than it is read is judged as far as it was found. */
const roundsMax = 5;

/** Rejects with what the store rejects with: a log that cannot be read cannot be judged. */
export async function readStore(store: SessionStore, ids: Iterable<string>): Promise<StoredTrace> {
  const wanted = new Set(ids);
  for (let round = 1; ; round++) {
    const trace = await readOnce(store, wanted);
    const found = new Set(trace.sessions.map(({ header }) => header.id as string));
    const missed = trace.sessions.flatMap(listedIn).filter((id) => !found.has(id) && !wanted.has(id));
    for (const id of missed) wanted.add(id);
    if (missed.length === 0 || round === roundsMax) return trace;
  }
}

async function readOnce(store: SessionStore, ids: ReadonlySet<string>): Promise<StoredTrace> {
  const owed = await owedIn(store);
  const heads = await findHeads(store, new Set([...(await rootsOf(store)), ...owed.keys(), ...ids]));
  const deepestFirst = [...heads.values()].sort((one, other) => depthOf(other) - depthOf(one));
  const read = new Map<string, Omit<StoredSession, 'pending'>>();
  for (const head of deepestFirst) {
    const session = await readSession(store, head);
    if (session !== undefined) read.set(head.header.id, session);
  }
  const owedSince = await owedIn(store);
  const roots = await rootsOf(store);
  const sessions = [...heads.keys()].flatMap((id) => {
    const session = read.get(id);
    if (session === undefined) return [];
    const pending = owed.get(id);
    const isStill = session.isStill && isSame(pending, owedSince.get(id));
    return [{ ...session, ...(pending !== undefined && { pending }), isStill }];
  });
  return { sessions, roots };
}

/** Parents before their children. */
async function findHeads(store: SessionStore, wanted: Set<string>): Promise<ReadonlyMap<string, SessionHead>> {
  const heads = new Map<string, SessionHead>();
  for (const id of wanted) {
    const head = isSessionId(id) ? await store.head(id) : undefined;
    if (head === undefined) continue;
    heads.set(id, head);
    for (const { data } of (await unlessGone(store.children(head.header.id))) ?? []) wanted.add(data.id);
    if (head.header.parentSession !== undefined) wanted.add(head.header.parentSession);
  }
  return heads;
}

/** Undefined if it has been removed. */
async function readSession(store: SessionStore, before: SessionHead): Promise<Omit<StoredSession, 'pending'> | undefined> {
  const { id } = before.header;
  const children = await unlessGone(store.children(id));
  const events = await unlessGone(store.read(id));
  const head = await store.head(id);
  if (head === undefined || events === undefined || children === undefined) return undefined;
  const isStill = before.seq === head.seq && before.epoch === head.epoch && before.owner === head.owner;
  return { header: head.header, events, head, children, isStill };
}

/** A start that was taken back is no session any more. */
async function unlessGone<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (errorCode(error) === 'SESSION_NOT_FOUND') return undefined;
    throw error;
  }
}

async function owedIn(store: SessionStore): Promise<ReadonlyMap<string, Pending>> {
  return new Map((await store.pending()).map(({ header, pending }) => [header.id as string, pending]));
}

async function rootsOf(store: SessionStore): Promise<readonly string[]> {
  return (await store.roots()).map(({ header }) => header.id);
}

function listedIn({ header, events }: StoredSession): SessionId[] {
  return events
    .slice(header.inheritedEvents)
    .flatMap((event) => (event.type === 'subagent/child' && isSessionId(event.data?.id) ? [event.data.id] : []));
}

function depthOf({ header }: SessionHead): number {
  return header.delegationDepth ?? 0;
}
