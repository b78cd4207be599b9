/**
 * After a crash: finds every session that owes something and lets it go on as itself (S10.1).
 *
 * I1  Whoever has work left is resumed, ancestors first, since a parent owns its children; all stay resident until the last
 *     of them is attached, so that none ends with a child still to come, unless others need their places meanwhile.
 * I2  Then, lowest first, ends that nobody was told of are told. One that waited for an external child is no end: it is resumed
 *     and hears that the child was lost. A parent that hears of one may have to be resumed for it.
 * I3  What a session owes is read again at the last moment: it may have gone on by itself, and nothing is taken from a live
 *     owner. One recovery runs at a time.
 */
import { noticeKey } from '../actors/notice.ts';
import type { Residency } from '../actors/residency.ts';
import { errorCode } from '../errors.ts';
import type { SessionHeader } from '../sessions/event.ts';
import type { SessionId } from '../sessions/ids.ts';
import type { PendingSession } from '../sessions/store.ts';
import { RecoveryPlaces } from './recovery-places.ts';
import { mustBeOpen, newEvent, type Registry } from './registry.ts';
import { type StoredChild, storedChildOf } from './resume.ts';
import { answeredCalls, tellOfEnd, unheardExternals, unwrittenEnd, upTo } from './settle-past.ts';

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

type Outcome = 'resumed' | 'told' | 'removed' | 'parent-not-open' | 'nothing';

/** Open the top-level agents first; what is below one that is not open waits. Can be called again at any time. */
export async function recover(registry: Registry): Promise<RecoveryReport> {
  mustBeOpen(registry);
  return inTurn(registry, () => recoverAll(registry, () => true));
}

/** The same for one session. Does nothing if it owes nothing. */
export async function recoverOne(registry: Registry, id: SessionId): Promise<RecoveryReport> {
  return inTurn(registry, () => recoverAll(registry, ({ header }) => header.id === id));
}

function inTurn(registry: Registry, work: () => Promise<RecoveryReport>): Promise<RecoveryReport> {
  const before = registry.recovering;
  const report = (async () => {
    await before;
    mustBeOpen(registry);
    return work();
  })();
  registry.recovering = report.catch(() => undefined); // its own caller hears of it
  return report;
}

async function recoverAll(registry: Registry, isAsked: (session: PendingSession) => boolean): Promise<RecoveryReport> {
  const report = {
    resumed: [] as string[],
    told: [] as string[],
    removed: [] as string[],
    waiting: [] as { id: string; reason: string }[],
  };
  const places = new RecoveryPlaces(registry);
  const attempt = async ({ header: { id } }: PendingSession, work: () => Promise<Outcome>): Promise<void> => {
    if (registry.residents.has(id)) return;
    try {
      const outcome = await work();
      if (outcome === 'parent-not-open') report.waiting.push({ id, reason: outcome });
      else if (outcome !== 'nothing') report[outcome].push(id);
    } catch (error) {
      report.waiting.push({ id, reason: errorCode(error) ?? 'STORE_FAILED' });
      registry.report('recovery', error);
    }
  };
  const owed = (await registry.store.pending())
    .filter(isAsked)
    .sort((one, other) => one.header.delegationDepth - other.header.delegationDepth);
  try {
    for (const session of owed.filter(owesWork)) await attempt(session, () => resume(registry, places, session.header, hasWork));
    for (const session of owed.filter((one) => !owesWork(one)).reverse()) {
      await attempt(session, () => tellParent(registry, places, session.header));
    }
  } finally {
    places.letGo();
  }
  return report;
}

function owesWork({ pending }: PendingSession): boolean {
  return pending.unclaimed > 0 || pending.hasOpenTurn;
}

async function resume(
  registry: Registry,
  places: RecoveryPlaces,
  header: SessionHeader,
  hasToGoOn: (stored: StoredChild) => boolean,
): Promise<Outcome> {
  while (true) {
    const parent = await places.openParent(header);
    if (parent === undefined) return 'parent-not-open';
    if (await isUnannounced(registry, header)) return remove(registry, header);
    const stored = await storedChildOf(registry, header.id);
    if (registry.residents.has(header.id) || !hasToGoOn(stored)) return 'nothing';
    const child = await places.admit(parent, stored);
    if (child === undefined) continue;
    await child.whenOpened();
    return 'resumed';
  }
}

function awaitsExternals({ head, events }: StoredChild): boolean {
  return unheardExternals(head.header, events).length > 0;
}

function hasWork({ fold: { openTurn, unclaimed } }: StoredChild): boolean {
  return openTurn !== undefined || unclaimed.some((message) => message.wakes);
}

async function remove(registry: Registry, { id }: SessionHeader): Promise<Outcome> {
  const lease = await registry.store.claim(id, registry.owner);
  try {
    await registry.store.remove(id, lease.epoch);
  } catch (error) {
    await registry.store.handBack(id, lease.epoch); // the next recovery finds it again
    throw error;
  }
  return 'removed';
}

/** Created, but its parent's catalog does not list it and nothing ran: the start was never told to anybody. */
async function isUnannounced(registry: Registry, header: SessionHeader): Promise<boolean> {
  if (header.parentSession === undefined) return false;
  const listed = await registry.store.children(header.parentSession);
  if (listed.some(({ data }) => data.id === header.id)) return false;
  const events = await registry.store.read(header.id, header.inheritedEvents);
  return !events.some((event) => event.type === 'turn/started');
}

/** The child has nothing left to do and is not needed in memory: its end is written, if it is not yet, told, and marked as told. */
async function tellParent(registry: Registry, places: RecoveryPlaces, header: SessionHeader): Promise<Outcome> {
  const parent = await places.openParent(header);
  if (parent === undefined) return 'parent-not-open';
  const stored = await storedChildOf(registry, header.id);
  if (unheardExternals(header, stored.events).length > 0) return resume(registry, places, header, awaitsExternals);
  const isTold = await hasAnswered(parent, stored);
  const { undelivered, unended } = stored.fold;
  if (registry.residents.has(header.id) || hasWork(stored)) return 'nothing';
  if (undelivered === undefined && unended === undefined) return 'nothing';
  const { id } = header;
  const lease = await registry.store.claim(id, registry.owner);
  if (lease.seq !== stored.events.length) {
    // another host has written meanwhile, and may have told it
    await registry.store.handBack(id, lease.epoch);
    return tellParent(registry, places, header);
  }
  try {
    const end = undelivered?.data ?? unwrittenEnd(registry, stored.fold, lease.epoch);
    if (end === undefined) return 'nothing';
    const notice = end.notice ?? noticeKey(id, end.epoch);
    const written = undelivered === undefined ? [newEvent(registry, 'activation/ended', isTold ? end : { ...end, notice })] : [];
    await registry.store.append(id, lease, written);
    if (isTold) return 'nothing';
    const events = undelivered === undefined ? stored.events : upTo(undelivered, stored.events);
    await tellOfEnd(registry, parent, { id, agent: stored.descriptor }, { ...end, notice }, events);
    const mark = newEvent(registry, 'notice/delivered', { notice });
    await registry.store.append(id, { seq: lease.seq + written.length, epoch: lease.epoch }, [mark]);
  } catch (error) {
    // a message has resumed it meanwhile; that settles the past as well
    if (errorCode(error) !== 'FENCED' || !registry.residents.has(id)) throw error;
  } finally {
    await registry.store.handBack(id, lease.epoch);
  }
  return 'told';
}

/** The tool call that waited for its first activation has its answer, so that there is nothing to tell. */
async function hasAnswered(parent: Residency, { head, descriptor, fold }: StoredChild): Promise<boolean> {
  if (descriptor.callId === undefined || fold.lastEnd !== undefined) return false;
  return answeredCalls((await parent.session?.events()) ?? [], head.header.id).has(descriptor.callId);
}
