/** Rules `settled-turn`, `settled-mail`, `settled-end` and `settled-notice`: what is left when everything has come to rest. */
import type { SessionEvent } from '../../sessions/event.ts';
import { owedBy } from './owed.ts';
import type { EndEvent, Say, Trace, TracedSession } from './trace.ts';

export function judgeSettled(trace: Trace, say: Say): void {
  for (const session of trace.sessions) {
    const { hasOpenTurn, waiting, isUnended } = owedBy(session);
    if (hasOpenTurn) say('settled-turn', session, 'a turn is open');
    if (!isStopped(session) && !session.isHostRun)
      for (const event of waiting) say('settled-mail', session, `${event.data.messageId} waits`, event);
    if (isUnended && !isUnannounced(trace, session)) say('settled-end', session, 'its last activation has not ended');
    judgeTold(trace, session, (what, event) => say('settled-notice', session, what, event));
  }
}

/** Interrupted, drained or closed: what waits then waits for the next message, or the next activation. */
function isStopped({ own }: TracedSession): boolean {
  const last = own.findLast((event) => event.type === 'turn/ended' || event.type === 'activation/ended');
  return last !== undefined && last.data.stopReason === 'aborted';
}

function isUnannounced({ byId }: Trace, { id, header }: TracedSession): boolean {
  return byId.get(header.parentSession ?? '')?.listed.has(id) === false;
}

function judgeTold({ byId }: Trace, session: TracedSession, wrong: (what: string, event: SessionEvent) => void): void {
  const parent = byId.get(session.header.parentSession ?? '');
  for (const end of announcedEnds(session)) {
    const { notice } = end.data;
    if (notice !== undefined && parent !== undefined && !parent.isHostRun && !parent.inserted.has(notice))
      wrong(`${parent.id} was not told of ${notice}`, end);
  }
  const marked = new Set(session.own.flatMap((event) => (event.type === 'notice/delivered' ? [event.data.notice] : [])));
  for (const end of announcedEnds(session))
    if (end.data.notice !== undefined && !marked.has(end.data.notice)) wrong(`${end.data.notice} is not marked as told`, end);
  if (session.isHostRun) return;
  for (const entry of session.listed.values())
    if (entry.data.mode === 'external' && !session.inserted.has(`${entry.data.id}:1`))
      wrong(`the external child ${entry.data.id} has not reported`, entry);
}

/** Ends with a notice that nothing overtook: an activation whose seal was overtaken went on, and ended again. */
function announcedEnds({ own }: TracedSession): EndEvent[] {
  const ends: EndEvent[] = [];
  let pending: EndEvent | undefined;
  for (const event of own) {
    if (event.type === 'activation/ended') pending = event;
    if (event.type === 'notice/delivered' && pending !== undefined) {
      ends.push(pending);
      pending = undefined;
    }
    const overtakes =
      event.type === 'turn/started' || event.type === 'subagent/child' || (event.type === 'inbox/inserted' && event.data.wakes);
    if (overtakes) pending = undefined;
  }
  return pending === undefined ? ends : [...ends, pending];
}
