/** What an earlier activation still owes when its session is opened again: the notice of its end, and the end of a turn that was cut off. */
import { deliverNotice, type NoticeSubject, noticeKey, noticeMessage } from '../actors/notice.ts';
import type { Residency } from '../actors/residency.ts';
import { SubagentError } from '../errors.ts';
import type { SessionEvent, SessionEventMap, SessionEventOf, SessionHeader } from '../sessions/event.ts';
import { foldSession, type OpenTurn, type SessionFold } from '../sessions/fold.ts';
import type { MessageId, SessionId } from '../sessions/ids.ts';
import type { InboxMessage } from '../sessions/message.ts';
import { interruptedResult, unansweredCalls } from '../sessions/transcript.ts';
import { readEntry } from './catalog.ts';
import { captureEnd } from './past-result.ts';
import { newEvent, type Registry, throwIfAborted } from './registry.ts';

/** Resolves with the messages that this put into the agent's own inbox. Once `signal` has fired no turn is closed any more. */
export async function settlePast(
  registry: Registry,
  residency: Residency,
  fold: SessionFold,
  signal: AbortSignal,
): Promise<readonly InboxMessage[]> {
  const { session, parent } = residency;
  if (session === undefined) return [];
  const { undelivered, openTurn } = fold;
  if (undelivered !== undefined && parent !== undefined) await tellOwed(registry, residency, parent, undelivered);
  const lost = await lostExternals(registry, residency);
  if (openTurn !== undefined) return [...lost, ...(await closeCutTurn(registry, residency, openTurn, signal))];
  return lost;
}

/** A parent that does not take the notice now hears it the next time; the child goes on all the same. */
async function tellOwed(registry: Registry, residency: Residency, parent: Residency, end: EndEvent): Promise<void> {
  const { session } = residency;
  if (session === undefined) return;
  try {
    await tellOfEnd(registry, parent, residency, end.data, upTo(end, await session.events()));
  } catch (fault) {
    registry.report('notice', fault);
    return;
  }
  await session.append([newEvent(registry, 'notice/delivered', { notice: end.data.notice as MessageId })]);
}

/** External children have no log: those whose end this log does not hold were lost with their process, and are told as such. */
async function lostExternals(registry: Registry, { session, host }: Residency): Promise<readonly InboxMessage[]> {
  // what a host-run agent was told is not in its log
  if (session === undefined || host !== undefined) return [];
  const lost = unheardExternals(session.header, await session.events());
  const messages = lost.map((subject) => ({ ...noticeMessage(subject, lostResult, registry.limits.resultBytes), wakes: true }));
  if (messages.length > 0) await session.append(messages.map((message) => newEvent(registry, 'inbox/inserted', message)));
  return messages;
}

/** Those whose end the log does not hold. */
export function unheardExternals({ inheritedEvents }: SessionHeader, events: readonly SessionEvent[]): readonly NoticeSubject[] {
  const own = events.slice(inheritedEvents);
  const known = new Set(own.flatMap((event) => (event.type === 'inbox/inserted' ? [event.data.messageId as string] : [])));
  return own
    .flatMap((event) => (event.type === 'subagent/child' ? [readEntry(event.data)] : []))
    .filter(({ mode }) => mode === 'external')
    .map(({ id, label = id }) => ({ childId: id, label, key: noticeKey(id, 1) }))
    .filter(({ key }) => !known.has(key));
}

const lostResult = { output: [], stopReason: 'error', diagnostic: 'it was lost when the process that ran it ended' } as const;

interface PastChild {
  readonly id: string;
  readonly agent: { readonly label: string };
}
type EndData = SessionEventMap['activation/ended'];
type EndEvent = SessionEventOf<'activation/ended'>;

/** What a log held when the end was written: a later activation may have said more. */
export function upTo({ seq }: EndEvent, events: readonly SessionEvent[]): readonly SessionEvent[] {
  return events.slice(0, seq + 1);
}

/**
 * Tells the parent of an end that it has not heard of. Does nothing if its log holds the notice already: a crash can come
 * between the parent's acceptance and the child's own mark. Who comes while it is being told waits for that. `events` reach to
 * the end and no further.
 */
export async function tellOfEnd(
  registry: Registry,
  parent: Residency,
  child: PastChild,
  end: EndData,
  events: readonly SessionEvent[],
): Promise<void> {
  const key = end.notice ?? noticeKey(child.id, end.epoch);
  const before = registry.telling.get(key);
  if (before !== undefined) return before;
  const telling = tellOnce(registry, parent, endNotice(registry, child, key, end, events));
  registry.telling.set(key, telling);
  try {
    await telling;
  } finally {
    registry.telling.delete(key);
  }
}

async function tellOnce(registry: Registry, parent: Residency, notice: Omit<InboxMessage, 'wakes'>): Promise<void> {
  const known = (await parent.session?.events()) ?? [];
  if (known.some((event) => event.type === 'inbox/inserted' && event.data.messageId === notice.messageId)) return;
  if (parent.isReleased) throw new SubagentError('PARENT_UNAVAILABLE', 'the parent has gone; it is told when it is open again');
  await deliverNotice(registry, parent, notice);
}

/** The end that an activation before the claim of `epoch` did not come to write: it had nothing left to do. */
export function unwrittenEnd(registry: Registry, { unended }: SessionFold, epoch: number): EndData | undefined {
  return unended === undefined ? undefined : { epoch: epoch - 1, ...unended, runId: registry.ids.next() };
}

function endNotice(
  registry: Registry,
  child: PastChild,
  key: MessageId,
  end: EndData,
  events: readonly SessionEvent[],
): Omit<InboxMessage, 'wakes'> {
  const { resultBytes } = registry.limits;
  const result = captureEnd(end, events, resultBytes);
  return noticeMessage({ childId: child.id, label: child.agent.label, key }, result, resultBytes);
}

/**
 * Balanced results for calls that have none, an end that says so, and a message that says so to the model (P18). No tool
 * is run again. Children of that turn whose caller died with it have their outcome delivered as notices.
 */
async function closeCutTurn(
  registry: Registry,
  residency: Residency,
  turn: OpenTurn,
  signal: AbortSignal,
): Promise<readonly InboxMessage[]> {
  const { session } = residency;
  if (session === undefined) return [];
  const { turnId } = turn;
  const missing = unansweredCalls(turn.lastCalls, turn.results).map(interruptedResult);
  const children = await childrenOfTurn(registry, await session.events(), turnId);
  const told = children.flatMap((child) => child.notice ?? []);
  const messages = [...told, cutMessage(registry, children)];
  throwIfAborted(signal); // the store may have taken its time, and the opening been given up
  await session.append([
    ...(missing.length > 0 ? [newEvent(registry, 'tool/results', { turnId, content: missing })] : []),
    newEvent(registry, 'turn/ended', {
      turnId,
      stopReason: 'error',
      diagnostic: 'the turn was cut off when its process ended',
      isInterrupted: true,
    }),
    ...messages.map((message) => newEvent(registry, 'inbox/inserted', message)),
  ]);
  return messages;
}

interface ChildOfTurn {
  readonly id: string;
  readonly label: string;
  /** Its outcome, if it has ended and nobody else was to hear of it. */
  readonly notice?: InboxMessage;
  readonly isOpen: boolean;
}

async function childrenOfTurn(
  registry: Registry,
  events: readonly SessionEvent[],
  turnId: string,
): Promise<readonly ChildOfTurn[]> {
  const begin = events.findLastIndex((event) => event.type === 'turn/started' && event.data.turnId === turnId);
  const known = new Set(events.flatMap((event) => (event.type === 'inbox/inserted' ? [event.data.messageId as string] : [])));
  const children: ChildOfTurn[] = [];
  for (const event of events.slice(begin)) {
    if (event.type !== 'subagent/child') continue;
    const { id, mode, label = id } = readEntry(event.data);
    if (mode !== 'continuable') children.push({ id, label, isOpen: false });
    else children.push(await outcomeOf(registry, id as SessionId, label, known, answeredCalls(events, id)));
  }
  return children;
}

/**
 * Calls whose result the model has, by what the parent's log says from the start of the child to the end of that turn: in
 * another turn a model can use the id of a call again.
 */
export function answeredCalls(events: readonly SessionEvent[], childId: string): ReadonlySet<string> {
  const begin = events.findLastIndex((event) => event.type === 'subagent/child' && event.data.id === childId);
  const end = events.findIndex((event, place) => place > begin && event.type === 'turn/ended');
  const beside = events.slice(Math.max(0, begin), end === -1 ? undefined : end);
  const results = beside.flatMap((event) => (event.type === 'tool/results' ? event.data.content : []));
  return new Set(results.filter(({ isInterrupted }) => isInterrupted !== true).map(({ callId }) => callId));
}

async function outcomeOf(
  registry: Registry,
  id: SessionId,
  label: string,
  known: ReadonlySet<string>,
  answered: ReadonlySet<string>,
): Promise<ChildOfTurn> {
  const head = await registry.store.head(id);
  if (head === undefined) return { id, label, isOpen: false };
  const events = await registry.store.read(id);
  const { descriptor, lastEnd, unended, unclaimed, openTurn } = foldSession(head.header, events);
  // an activation that went on behind its end, because a message overtook it, has not written how it ended
  const isUnended = lastEnd === undefined || unended?.epoch === lastEnd.data.epoch;
  if (isUnended || openTurn !== undefined || unclaimed.length > 0) return { id, label, isOpen: true };
  const key = noticeKey(id, lastEnd.data.epoch);
  // one that the parent was to be told of is told by the usual way, and an answered call has told already
  const isTold = known.has(key) || answered.has(descriptor?.callId ?? '');
  if (lastEnd.data.notice !== undefined || isTold) return { id, label, isOpen: false };
  return {
    id,
    label,
    isOpen: false,
    notice: { ...endNotice(registry, { id, agent: { label } }, key, lastEnd.data, upTo(lastEnd, events)), wakes: true },
  };
}

function cutMessage(registry: Registry, children: readonly ChildOfTurn[]): InboxMessage {
  const open = children.filter((child) => child.isOpen).map((child) => `${child.id} (${child.label})`);
  const lines = ['Tool calls without a result may or may not have taken effect. Check what is done before you go on.'];
  if (open.length > 0) lines.push(`These subagents are not finished and report when they are: ${open.join(', ')}.`);
  return {
    messageId: registry.ids.next() as MessageId,
    lane: 'step',
    wakes: true,
    source: { kind: 'turn-interrupted', form: 'notice' },
    content: [{ type: 'text', text: lines.join('\n') }],
  };
}
