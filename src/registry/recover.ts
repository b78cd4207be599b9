/**
 * After a crash: finds every session that owes something and lets it go on as itself (S10.1). Ancestors come first, since a
 * parent owns its children; nothing is taken from a live owner; an agent that waits for a place holds none.
 */
import type { Residency } from '../actors/residency.ts';
import { errorCode } from '../errors.ts';
import type { SessionHeader } from '../sessions/event.ts';
import { foldSession } from '../sessions/fold.ts';
import type { SessionId } from '../sessions/ids.ts';
import type { PendingSession } from '../sessions/store.ts';
import { mustBeOpen, newEvent, type Registry } from './registry.ts';
import { admitResume, readStoredChild, type StoredChild } from './resume.ts';
import { tellOfEnd } from './settle-past.ts';
import { descendantsOf } from './stop.ts';

export interface RecoveryReport {
  /** Live again: they had unclaimed input or a turn that was cut off. */
  readonly resumed: readonly string[];
  /** Ended before the crash; their parents have been told now. */
  readonly told: readonly string[];
  /** Starts that were never announced; their sessions are deleted. */
  readonly removed: readonly string[];
  /** Left as they are, with the reason: `parent-not-open`, or the code of the refusal. */
  readonly waiting: readonly { readonly id: string; readonly reason: string }[];
}

/** Open the top-level agents first; what is below one that is not open waits. Can be called again at any time. */
export async function recover(registry: Registry): Promise<RecoveryReport> {
  mustBeOpen(registry);
  const report = {
    resumed: [] as string[],
    told: [] as string[],
    removed: [] as string[],
    waiting: [] as { id: string; reason: string }[],
  };
  const owed = [...(await registry.store.pending())].sort(
    (one, other) => one.header.delegationDepth - other.header.delegationDepth,
  );
  for (const session of owed) {
    const { id } = session.header;
    if (registry.residents.has(id)) continue;
    try {
      const outcome = await recoverOne(registry, session);
      if (outcome === 'waiting') report.waiting.push({ id, reason: 'parent-not-open' });
      else report[outcome].push(id);
    } catch (error) {
      report.waiting.push({ id, reason: errorCode(error) ?? 'STORE_FAILED' });
      registry.report('recovery', error);
    }
  }
  return report;
}

async function recoverOne(
  registry: Registry,
  { header, pending }: PendingSession,
): Promise<'resumed' | 'told' | 'removed' | 'waiting'> {
  const path = await pathToLive(registry, header);
  if (path === undefined) return 'waiting';
  if (await isUnannounced(registry, header)) {
    const lease = await registry.store.claim(header.id, registry.owner);
    await registry.store.remove(header.id, lease.epoch);
    return 'removed';
  }
  const holds: Residency[] = [];
  try {
    const parent = await reopenAncestors(registry, path, holds);
    const owesWork = pending.unclaimed > 0 || pending.hasOpenTurn;
    if (owesWork) await (await admitted(registry, parent, path.child, holds)).whenOpened();
    else await tellParent(registry, parent, path.child);
    return owesWork ? 'resumed' : 'told';
  } finally {
    for (const held of holds) held.send({ type: 'message.refused' });
  }
}

interface PathToLive {
  readonly live: Residency;
  /** Stored agents between the live one and the child, top down. */
  readonly between: readonly StoredChild[];
  readonly child: StoredChild;
}

async function pathToLive(registry: Registry, header: SessionHeader): Promise<PathToLive | undefined> {
  const ids: SessionId[] = [header.id];
  let parent = header.parentSession;
  while (parent !== undefined) {
    const live = registry.residents.get(parent);
    if (live !== undefined) {
      const stored = await Promise.all(ids.toReversed().map((id) => storedChild(registry, id)));
      const child = stored.at(-1);
      return child === undefined ? undefined : { live, between: stored.slice(0, -1), child };
    }
    ids.push(parent);
    parent = (await registry.store.head(parent))?.header.parentSession;
  }
  return undefined;
}

async function storedChild(registry: Registry, id: SessionId): Promise<StoredChild> {
  const head = await registry.store.head(id);
  if (head === undefined) throw new Error('a session on the path has gone');
  return readStoredChild(registry, head);
}

/** Created, but its parent's catalog does not list it and nothing ran: the start was never told to anybody. */
async function isUnannounced(registry: Registry, header: SessionHeader): Promise<boolean> {
  if (header.parentSession === undefined) return false;
  const listed = await registry.store.children(header.parentSession);
  if (listed.some(({ data }) => data.id === header.id)) return false;
  const events = await registry.store.read(header.id, header.inheritedEvents);
  return !events.some((event) => event.type === 'turn/started');
}

/** Each ancestor is held by an offer until what comes below it is attached. */
async function reopenAncestors(registry: Registry, path: PathToLive, holds: Residency[]): Promise<Residency> {
  let parent = path.live;
  for (const stored of path.between) {
    const known = registry.residents.get(stored.head.header.id);
    parent = known ?? (await admitted(registry, parent, stored, holds, 'child'));
    if (known === undefined) holds.push(parent);
    await parent.whenOpened();
  }
  return parent;
}

/** Admits when there is a place: waits for others to end, but not for those that wait for this one. */
async function admitted(
  registry: Registry,
  parent: Residency,
  stored: StoredChild,
  holds: readonly Residency[],
  offered?: 'child',
): Promise<Residency> {
  while (true) {
    try {
      return admitResume(registry, parent, stored, offered);
    } catch (error) {
      const others = descendantsOf(parent.root.children).filter((residency) => !holds.includes(residency));
      if (errorCode(error) !== 'ACTIVATION_LIMIT_REACHED' || others.length === 0) throw error;
      await Promise.race(others.map((residency) => residency.whenReleased()));
    }
  }
}

/** The child ended and is not needed in memory: only its end is told, and marked as told. */
async function tellParent(registry: Registry, parent: Residency, { head, events, descriptor }: StoredChild): Promise<void> {
  const { header } = head;
  const { undelivered } = foldSession(header, events);
  if (undelivered?.data.notice === undefined) return;
  const lease = await registry.store.claim(header.id, registry.owner);
  await tellOfEnd(registry, parent, { id: header.id, agent: descriptor }, undelivered, events);
  await registry.store.append(header.id, lease, [newEvent(registry, 'notice/delivered', { notice: undelivered.data.notice })]);
  await registry.store.handBack(header.id, lease.epoch);
}
