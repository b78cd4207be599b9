/** Rules `notice-key`, `notice-caller`, `notice-content` and `notice-mark`: what a parent is told, once, of each end. */
import type { SessionEventOf } from '../../sessions/event.ts';
import type { SubagentSettledMessageSource } from '../../sessions/message.ts';
import { contentFault } from './notice-content.ts';
import { keyOf } from './notice-key.ts';
import { owedBy } from './owed.ts';
import type { TraceRuleName } from './rules.ts';
import type { ChildEvent, EndEvent, InsertedEvent, Say, Trace, TracedSession } from './trace.ts';

export function judgeNotices(trace: Trace, say: Say): void {
  for (const session of trace.sessions) {
    judgeHeard(trace, session, (rule, event, what) => say(rule, session, what, event));
    judgeKeys(session, (event, what) => say('notice-key', session, what, event));
    judgeMarks(trace, session, (event, what) => say('notice-mark', session, what, event));
  }
}

type Wrong = (rule: TraceRuleName, event: InsertedEvent, what: string) => void;

/** The turn that was cut off, while what follows is the word of it. */
type Cut = { readonly begunAt: number } | undefined;

function judgeHeard(trace: Trace, session: TracedSession, wrong: Wrong): void {
  let begunAt = 0;
  let cut: Cut;
  for (const event of session.own) {
    if (event.type === 'turn/started') begunAt = event.seq;
    if (event.type === 'inbox/inserted' && event.data.source.kind === 'subagent-settled') {
      judgeNotice(trace, session, event, event.data.source, cut, wrong);
      continue;
    }
    cut = event.type === 'turn/ended' && event.data.isInterrupted === true ? { begunAt } : undefined;
  }
}

function judgeNotice(
  { byId }: Trace,
  session: TracedSession,
  event: InsertedEvent,
  source: SubagentSettledMessageSource,
  cut: Cut,
  wrong: Wrong,
): void {
  const { senderSessionId: sender } = source;
  const { messageId, content } = event.data;
  const entry = session.listed.get(sender);
  const epoch = keyOf(messageId, sender);
  const fault = keyFault(event, sender, entry, byId.get(sender));
  if (fault !== undefined) wrong('notice-key', event, fault);
  if (fault !== undefined || entry === undefined || epoch === undefined) return;
  const child = byId.get(sender);
  const activation = entry.data.mode === 'external' ? undefined : child?.activations.get(epoch);
  const label = child?.descriptor?.label ?? entry.data.label ?? sender;
  const said = contentFault(content, source.summary, { id: sender, label, ...(activation !== undefined && { activation }) });
  if (said !== undefined) wrong('notice-content', event, said);
  if (child === undefined) return;
  if (isForCaller(session, child, epoch, cut, entry.seq)) wrong('notice-caller', event, `the caller was to hear of ${messageId}`);
}

function keyFault(
  { data: { messageId }, seq }: InsertedEvent,
  sender: string,
  entry: ChildEvent | undefined,
  child: TracedSession | undefined,
): string | undefined {
  if (entry === undefined || entry.seq > seq) return `${sender} is not listed here before it`;
  const epoch = keyOf(messageId, sender);
  if (epoch === undefined) return `${messageId} is no key of ${sender}`;
  const isOne = entry.data.mode === 'external' ? epoch === 1 : child === undefined || hasActivation(child, epoch);
  return isOne ? undefined : `${sender} has no activation ${epoch}`;
}

/** It had a turn or an end; or it is the last one and has not come to write either; or an earlier one could not, on a full disk say. */
function hasActivation(child: TracedSession, epoch: number): boolean {
  return child.activations.has(epoch) || epoch < child.epoch || (epoch > child.epoch && owedBy(child).isUnended);
}

/** `listedAt`: of the child's entry. The caller hears by its tool call; a turn that was cut off hears by notice of the children that it began. */
function isForCaller(parent: TracedSession, child: TracedSession, epoch: number, cut: Cut, listedAt: number): boolean {
  const end = child.activations.get(epoch)?.end;
  if (end !== undefined && end.data.notice === undefined && !(cut !== undefined && listedAt > cut.begunAt)) return true;
  const answeredAt = parent.answers.get(child.id)?.get(child.descriptor?.callId ?? '');
  return epoch === 1 && answeredAt !== undefined && answeredAt > listedAt;
}

/** An end announces its notice by its own key; a top-level agent has nobody to tell. */
function judgeKeys({ id, header, own }: TracedSession, wrong: (event: EndEvent, what: string) => void): void {
  for (const event of own) {
    if (event.type !== 'activation/ended' || event.data.notice === undefined) continue;
    const { notice, epoch } = event.data;
    if (header.parentSession === undefined || keyOf(notice, id) !== epoch)
      wrong(event, `${notice} is not the key of epoch ${epoch} of it`);
  }
}

function judgeMarks(
  { byId }: Trace,
  { header, own }: TracedSession,
  wrong: (event: SessionEventOf<'notice/delivered'>, what: string) => void,
): void {
  const parent = byId.get(header.parentSession ?? '');
  const announced = new Set<string>();
  const marked = new Set<string>();
  /** The last end that came by itself, and the first message that came behind the last end. */
  let natural: string | undefined;
  let late: string | undefined;
  for (const event of own) {
    if (event.type === 'activation/ended') {
      const { notice: key, stopReason } = event.data;
      if (key !== undefined) announced.add(key);
      natural = stopReason === 'aborted' || stopReason === 'error' ? undefined : key;
      late = undefined;
    }
    if (event.type === 'inbox/inserted' && event.data.wakes) late ??= event.data.messageId;
    if (event.type !== 'notice/delivered') continue;
    const { notice } = event.data;
    if (natural === notice && late !== undefined) wrong(event, `${late} had overtaken the end of ${notice}`);
    if (!announced.has(notice)) wrong(event, `no end before it announces ${notice}`);
    if (marked.has(notice)) wrong(event, `${notice} is marked twice`);
    marked.add(notice);
    if (parent !== undefined && !parent.isHostRun && !parent.inserted.has(notice))
      wrong(event, `${parent.id} has not heard ${notice}`);
  }
}
