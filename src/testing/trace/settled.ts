/** Rules `settled-turn`, `settled-mail`, `settled-end` and `settled-notice`: what is left when everything has come to rest. */
import type { SessionEvent } from '../../sessions/event.ts';
import { keyOf } from './notice-key.ts';
import { owedBy } from './owed.ts';
import type { EndEvent, Say, Trace, TracedSession } from './trace.ts';

export function judgeSettled(trace: Trace, say: Say): void {
  for (const session of trace.sessions) {
    if (isUnannounced(trace, session)) continue; // for the rule of catalogs
    const { hasOpenTurn, waiting, isUnended } = owedBy(session);
    if (hasOpenTurn) say('settled-turn', session, 'a turn is open');
    if (!isStopped(session) && !session.isHostRun)
      for (const event of waiting) say('settled-mail', session, `${event.data.messageId} waits`, event);
    if (isUnended) say('settled-end', session, 'its last activation has not ended');
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
  const { own, header, isHostRun, listed, inserted } = session;
  const parent = byId.get(header.parentSession ?? '');
  const marked = new Set(own.flatMap((event) => (event.type === 'notice/delivered' ? [event.data.notice] : [])));
  for (const end of announcedEnds(session, parent)) {
    const { notice } = end.data;
    if (notice === undefined) continue;
    if (parent !== undefined && !parent.isHostRun && !parent.inserted.has(notice))
      wrong(`${parent.id} was not told of ${notice}`, end);
    if (!marked.has(notice)) wrong(`${notice} is not marked as told`, end);
  }
  for (const event of inserted.values()) {
    const { source, messageId } = event.data;
    const child = source.kind === 'subagent-settled' ? byId.get(source.senderSessionId) : undefined;
    if (child !== undefined && child.activations.get(keyOf(messageId, child.id) ?? 0)?.end === undefined)
      wrong(`${child.id} has not written the end of which ${messageId} tells`, event);
  }
  if (isHostRun) return;
  for (const entry of listed.values())
    if (entry.data.mode === 'external' && !inserted.has(`${entry.data.id}:1`))
      wrong(`the external child ${entry.data.id} has not reported`, entry);
}

/** Ends that nothing overtook, or of which the parent was told: an activation whose seal is overtaken goes on, and ends again. */
function announcedEnds({ own }: TracedSession, parent: TracedSession | undefined): Set<EndEvent> {
  const ends = new Set<EndEvent>();
  let last: EndEvent | undefined;
  for (const event of own) {
    if (event.type === 'activation/ended') {
      last = event;
      if (parent?.inserted.has(event.data.notice ?? '') === true) ends.add(event);
    }
    if (event.type === 'notice/delivered' && last !== undefined) ends.add(last);
    const overtakes =
      event.type === 'turn/started' || event.type === 'subagent/child' || (event.type === 'inbox/inserted' && event.data.wakes);
    if (overtakes || event.type === 'notice/delivered') last = undefined;
  }
  return last === undefined ? ends : ends.add(last);
}
