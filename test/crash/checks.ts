/**
 * What must be true of every store after a crash and a rescue, judged from the logs alone, with nothing of src that folds logs.
 * Each rule is one function that returns what is wrong, in words.
 */
import type { SessionEvent } from '../../src/sessions/event.ts';
import { catalogProblems, noticeProblems, wordProblems } from './check-notices.ts';
import { balanceProblems, turnProblems } from './check-turns.ts';
import type { Aftermath, StoredSession } from './rescue.ts';

export function problemsOf(aftermath: Aftermath): string[] {
  const { sessions } = aftermath;
  return [
    ...faultProblems(aftermath),
    ...sessions.flatMap(mailProblems),
    ...sessions.flatMap(orderProblems),
    ...toldProblems(aftermath),
    ...sessions.flatMap(turnProblems),
    ...sessions.flatMap(balanceProblems),
    ...catalogProblems(sessions),
    ...noticeProblems(sessions),
    ...wordProblems(sessions),
    ...lifeProblems(aftermath.lives),
  ];
}

/** Events that are the session's own: what a fork inherited is its donor's affair. */
export function ownEvents({ header, events }: StoredSession): readonly SessionEvent[] {
  return events.slice(header.inheritedEvents);
}

function faultProblems({ faults, pending, report, effects }: Aftermath): string[] {
  return [
    ...faults.map((fault) => `the rescue reported ${fault}`),
    ...pending.map(({ header, pending: owed }) => `${header.id} still owes ${JSON.stringify(owed)}`),
    ...report.waiting.map(({ id, reason }) => `${id} was not recovered: ${reason}`),
    ...effects.filter((key, index) => effects.indexOf(key) !== index).map((key) => `the effect ${key} came twice`),
  ];
}

/** Each message is accepted once and leaves once; what wakes does not wait for ever. */
function mailProblems(session: StoredSession): string[] {
  const problems: string[] = [];
  const { id } = session.header;
  const waiting = new Map<string, boolean>();
  const seen = new Set<string>();
  session.events.forEach(({ seq }, index) => {
    if (seq !== index) problems.push(`${id} has event ${seq} at place ${index}`);
  });
  for (const event of ownEvents(session)) {
    if (event.type === 'inbox/inserted') {
      const { messageId, wakes } = event.data;
      if (seen.has(messageId)) problems.push(`${id} has accepted ${messageId} twice`);
      seen.add(messageId);
      waiting.set(messageId, wakes);
    }
    if (event.type !== 'inbox/claimed' && event.type !== 'inbox/discarded') continue;
    let waking = 0;
    for (const messageId of event.data.messageIds) {
      if (waiting.get(messageId) === true) waking++;
      if (!waiting.delete(messageId)) problems.push(`${id}: ${messageId} left without having waited`);
    }
    if (waking !== event.data.waking)
      problems.push(`${id}: event ${event.seq} counts ${event.data.waking} that wake, not ${waking}`);
  }
  for (const [messageId, wakes] of waiting) if (wakes) problems.push(`${id} never claimed ${messageId}`);
  return problems;
}

/** What waits in one lane is claimed in the order of acceptance (R3). */
function orderProblems(session: StoredSession): string[] {
  const accepted = new Map<string, { readonly lane: string; readonly place: number }>();
  const last = new Map<string, number>();
  const problems: string[] = [];
  for (const event of ownEvents(session)) {
    if (event.type === 'inbox/inserted') accepted.set(event.data.messageId, { lane: event.data.lane, place: event.seq });
    if (event.type !== 'inbox/claimed') continue;
    for (const messageId of event.data.messageIds) {
      const { lane = '', place = 0 } = accepted.get(messageId) ?? {};
      if (place < (last.get(lane) ?? -1)) problems.push(`${session.header.id}: ${messageId} was overtaken`);
      last.set(lane, place);
    }
  }
  return problems;
}

/** What its sender was told of is in exactly one log (R1, R2). */
function toldProblems({ sessions, told }: Aftermath): string[] {
  const logs = new Map<string, number>();
  for (const session of sessions) {
    for (const event of ownEvents(session)) {
      if (event.type === 'inbox/inserted') logs.set(event.data.messageId, (logs.get(event.data.messageId) ?? 0) + 1);
    }
  }
  return told.filter((id) => logs.get(id) !== 1).map((id) => `the accepted message ${id} is in ${logs.get(id) ?? 0} logs`);
}

/** An activation ends before the next of its session starts (R4). */
function lifeProblems(lives: readonly string[]): string[] {
  const live = new Set<string>();
  const problems: string[] = [];
  for (const life of lives) {
    const [what, id = ''] = life.split(' ');
    if (what === 'start' && live.has(id)) problems.push(`${id} was started twice at a time`);
    if (what === 'start') live.add(id);
    else live.delete(id);
  }
  for (const id of live) problems.push(`${id} started and did not end`);
  return problems;
}
