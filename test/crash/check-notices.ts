/** That parents know their children and have heard of each end once (S3.9, S6.1, P15). */
import type { SessionEvent, SessionEventOf } from '../../src/sessions/event.ts';
import { ownEvents } from './checks.ts';
import type { StoredSession } from './rescue.ts';

/** Every child is listed once by its parent, and everybody who is listed is there. */
export function catalogProblems(sessions: readonly StoredSession[]): string[] {
  const problems: string[] = [];
  const byId = new Map(sessions.map((session) => [session.header.id as string, session]));
  for (const { header } of sessions) {
    if (header.parentSession === undefined) continue;
    const parent = byId.get(header.parentSession);
    const times = parent === undefined ? 0 : listed(parent).filter((id) => id === header.id).length;
    if (times !== 1) problems.push(`${header.id} is listed ${times} times by its parent ${header.parentSession}`);
    if (header.delegationDepth !== (parent?.header.delegationDepth ?? 0) + 1) problems.push(`${header.id} has the wrong depth`);
  }
  for (const session of sessions) {
    for (const id of listed(session)) if (!byId.has(id)) problems.push(`${session.header.id} lists ${id}, which is missing`);
  }
  return problems;
}

function listed(session: StoredSession): string[] {
  return ownEvents(session).flatMap((event) => (event.type === 'subagent/child' ? [event.data.id] : []));
}

/** The last activation of every child has ended in its log; each end that was to be told is in the parent's log once. */
export function noticeProblems(sessions: readonly StoredSession[]): string[] {
  const problems: string[] = [];
  const keys = new Set<string>();
  for (const session of sessions) {
    const { id, parentSession } = session.header;
    if (parentSession === undefined) continue;
    const parent = sessions.find(({ header }) => header.id === parentSession);
    const heard = parent === undefined ? [] : noticesIn(parent);
    const events = ownEvents(session);
    const ends = realEnds(events);
    if (ends.length === 0 || isLiveAfter(events, ends.at(-1))) problems.push(`${id} has not ended`);
    for (const { data } of ends) {
      if (data.notice === undefined) continue;
      keys.add(data.notice);
      const times = heard.filter((key) => key === data.notice).length;
      if (times !== 1) problems.push(`the end ${data.notice} was told ${times} times to ${parentSession}`);
    }
    const first = ends[0]?.data;
    if (first !== undefined && first.notice === undefined) keys.add(`${id}:${first.epoch}`); // its caller may have died
  }
  for (const key of sessions.flatMap(noticesIn)) if (!keys.has(key)) problems.push(`the notice ${key} tells of no end`);
  return problems;
}

function noticesIn(session: StoredSession): string[] {
  return ownEvents(session).flatMap((event) =>
    event.type === 'inbox/inserted' && event.data.source.kind === 'subagent-settled' ? [event.data.messageId as string] : [],
  );
}

/** Ends that nothing of the same activation followed: a message can come while the end is being written, and then it was none. */
function realEnds(events: readonly SessionEvent[]): SessionEventOf<'activation/ended'>[] {
  return events.filter(
    (event, place): event is SessionEventOf<'activation/ended'> =>
      event.type === 'activation/ended' && !isContinued(events.slice(place + 1)),
  );
}

/** Work comes before the mark that the parent was told, or before the claim of a later activation would have set it. */
function isContinued(rest: readonly SessionEvent[]): boolean {
  for (const event of rest) {
    if (event.type === 'notice/delivered') return false;
    if (event.type === 'activation/ended') return true;
    if (event.type === 'turn/started') return false;
  }
  return false;
}

function isLiveAfter(events: readonly SessionEvent[], end: SessionEvent | undefined): boolean {
  return events.slice((end?.seq ?? 0) - (events[0]?.seq ?? 0) + 1).some(({ type }) => type === 'turn/started');
}

const ownWords = /\[[a-z ]+ of [^\]]+\]/g;

/** No model is told the same words of a child twice, be it by notice or by tool result (S8.1). */
export function wordProblems(sessions: readonly StoredSession[]): string[] {
  const problems: string[] = [];
  for (const session of sessions) {
    const heard = new Map<string, number>();
    for (const text of ownEvents(session).flatMap(textsHeard)) {
      for (const [words] of text.matchAll(ownWords)) heard.set(words, (heard.get(words) ?? 0) + 1);
    }
    for (const [words, times] of heard) if (times > 1) problems.push(`${session.header.id} was told ${words} ${times} times`);
  }
  return problems;
}

function textsHeard(event: SessionEvent): string[] {
  if (event.type === 'tool/results') return event.data.content.map(({ output }) => JSON.stringify(output));
  if (event.type === 'inbox/inserted') return [JSON.stringify(event.data.content)];
  return [];
}
