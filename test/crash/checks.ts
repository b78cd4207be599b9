/**
 * What must be true of every store after a crash and a rescue: its logs obey the contract and owe nothing, and what no log can
 * say agrees with them. Each rule is one function that returns what is wrong, in words.
 */
import type { SessionEvent } from '../../src/sessions/event.ts';
import { describeProblem } from '../../src/testing/trace/check.ts';
import { traceProblems } from '../../src/testing/trace/problems.ts';
import type { Aftermath, StoredSession } from './rescue.ts';

export function problemsOf(aftermath: Aftermath): string[] {
  const { sessions } = aftermath;
  return [
    ...faultProblems(aftermath),
    ...traceProblems(sessions, { expects: 'settled' }).map(describeProblem),
    ...toldProblems(aftermath),
    ...wordProblems(sessions),
    ...lifeProblems(aftermath.lives),
  ];
}

/** Events that are the session's own: what a fork inherited is its donor's affair. */
function ownEvents({ header, events }: StoredSession): readonly SessionEvent[] {
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

const ownWords = /\[[a-z ]+ of [^\]]+\]/g;

/** No model is told the same words of a child twice, be it by notice or by tool result (S8.1). */
function wordProblems(sessions: readonly StoredSession[]): string[] {
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
