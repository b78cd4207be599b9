/** Rule `birth`: how a session begins behind its seed. */
import type { SessionEvent } from '../../sessions/event.ts';
import type { Say, Trace, TracedSession } from './trace.ts';

export function judgeBirths(trace: Trace, say: Say): void {
  for (const session of trace.sessions) {
    const wrong = (what: string, event?: SessionEvent) => say('birth', session, what, event);
    if (session.header.parentSession === undefined) judgeTopLevel(session, wrong);
    else if (isOurs(trace, session)) judgeChild(session, wrong);
  }
}

/** A child that its parent lists as of another kind was made by another version, or by another product. */
function isOurs({ byId }: Trace, { id, header }: TracedSession): boolean {
  const entry = byId.get(header.parentSession ?? '')?.listed.get(id);
  return entry === undefined || entry.data.mode === 'continuable';
}

function judgeTopLevel({ own }: TracedSession, wrong: (what: string, event?: SessionEvent) => void): void {
  for (const event of own) {
    if (event.type === 'subagent/descriptor') wrong('a top-level session has a descriptor', event);
    if (isDelegation(event)) wrong('a top-level session has the prompt of a parent', event);
  }
}

/** Both came with the session in one piece; a log that was cut before the second is not yet wrong. */
function judgeChild({ own, header }: TracedSession, wrong: (what: string, event?: SessionEvent) => void): void {
  const [first, second, ...rest] = own;
  if (first !== undefined && first.type !== 'subagent/descriptor') wrong('it does not begin with its descriptor', first);
  if (second !== undefined && !isDelegation(second)) wrong('no prompt of its parent follows its descriptor', second);
  if (second?.type === 'inbox/inserted' && second.data.source.kind === 'delegation') {
    const { lane, wakes, source } = second.data;
    if (source.senderSessionId !== header.parentSession) wrong(`its prompt is of ${source.senderSessionId}`, second);
    if (lane !== 'turn' || !wakes) wrong('its prompt does not open a turn', second);
  }
  for (const event of second === undefined ? rest : own.slice(2)) {
    if (event.type === 'subagent/descriptor') wrong('it has a second descriptor', event);
    if (isDelegation(event)) wrong('it has a second prompt of its parent', event);
  }
}

function isDelegation(event: SessionEvent): boolean {
  return event.type === 'inbox/inserted' && event.data.source.kind === 'delegation';
}
