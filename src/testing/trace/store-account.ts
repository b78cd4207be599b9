/** Rules `store-index` and `store-pending`: the store keeps accounts of its logs, and they are held against ours. */
import type { Pending } from '../../sessions/pending.ts';
import { owedBy } from './owed.ts';
import type { StoredSession, StoredTrace } from './read-store.ts';
import { isSame } from './same.ts';
import type { Say, Trace, TracedSession } from './trace.ts';

export function judgeStore({ sessions, roots }: StoredTrace, trace: Trace, say: Say): void {
  const listed = new Set(roots);
  sessions.forEach((stored, place) => {
    const session = trace.sessions[place];
    if (session === undefined) return;
    if (!stored.isStill) return;
    judgeIndex(stored, session, (what) => say('store-index', session, what));
    const { delegationDepth: depth } = session.header; // logs of an older format do not say
    if (depth !== undefined && listed.has(session.id) !== (depth === 0))
      say('store-index', session, `it is ${listed.has(session.id) ? '' : 'not '}listed as a top-level session`);
    judgePending(stored, session, (what) => say('store-pending', session, what));
  });
}

function judgeIndex(
  { head, events, children }: StoredSession,
  { epoch, all, header }: TracedSession,
  say: (what: string) => void,
): void {
  if (head.seq !== events.length) say(`the store counts ${head.seq} events, and there are ${events.length}`);
  if (head.epoch < epoch) say(`the store is at epoch ${head.epoch}, and its log at ${epoch}`);
  const own = all.slice(header.inheritedEvents).filter((event) => event.type === 'subagent/child');
  if (!isSame(children, own)) say(`the store lists ${children.length} children of it, its log ${own.length}`);
}

/** What a live owner holds is not listed; a lease that has not run out hides a dead one as well. */
function judgePending({ head, pending }: StoredSession, session: TracedSession, say: (what: string) => void): void {
  if (pending === undefined && head.owner !== undefined) return;
  const { unclaimed, hasOpenTurn, hasUndeliveredNotice } = owedBy(session);
  const owed: Pending = { unclaimed, hasOpenTurn, hasUndeliveredNotice };
  const said = pending ?? { unclaimed: 0, hasOpenTurn: false, hasUndeliveredNotice: false };
  if (!isSame(owed, said)) say(`it owes ${JSON.stringify(owed)}, and the store says ${JSON.stringify(said)}`);
}
