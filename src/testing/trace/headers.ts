/** Rules `event-form`, `sequence`, `header` and `seed`: what a log is before anything happens in it. */
import { isSessionId } from '../../sessions/ids.ts';
import { isSame } from './same.ts';
import { shown } from './shown.ts';
import { type Say, seedLength, type Trace, type TracedSession } from './trace.ts';

export function judgeHeaders(trace: Trace, say: Say): void {
  for (const session of trace.sessions) {
    for (const [place, fault] of session.faults) say('event-form', session, fault, { seq: place });
    session.all.forEach((event, place) => {
      if (event?.seq !== place)
        say('sequence', session, `the event at place ${place} has the number ${shown(event?.seq)}`, { seq: place });
    });
    judgeHeader(trace, session, (what) => say('header', session, what));
    judgeSeed(trace, session, (what) => say('seed', session, what));
  }
}

function judgeHeader(trace: Trace, session: TracedSession, say: (what: string) => void): void {
  const { header } = session;
  const { version, createdAt, cwd, project, delegationDepth: depth = 0, isSeeded, inheritedEvents } = header;
  if (!isSessionId(header.id)) say('its id is none');
  if (trace.byId.get(session.id) !== session) say('there are two sessions of this id');
  if (version !== 1) say(`its version is ${shown(version)}`);
  if (!Number.isFinite(createdAt)) say(`it was made at ${shown(createdAt)}`);
  if (!cwd || !project) say('it does not say where it works');
  if (!Number.isSafeInteger(depth) || depth < 0) say(`its depth is ${shown(depth)}`);
  if (isSeeded !== inheritedEvents > 0) say(`seeded is ${shown(isSeeded)}, with ${shown(inheritedEvents)} inherited events`);
  judgeDescent(trace, session, say);
}

function judgeDescent({ byId }: Trace, { header }: TracedSession, say: (what: string) => void): void {
  const { parentSession, origin, project, delegationDepth: depth = 0 } = header;
  if (parentSession === undefined) {
    if (origin !== undefined) say(`it has the origin ${shown(origin)} and no parent`);
    if (depth !== 0) say(`it has the depth ${shown(depth)} and no parent`);
    return;
  }
  if (origin !== 'subagent') say('it has a parent and not the origin of a subagent');
  const parent = byId.get(parentSession)?.header;
  if (parent === undefined) {
    say(`its parent ${shown(parentSession)} is not there`);
    return;
  }
  const above = parent.delegationDepth ?? 0;
  // logs of an older format do not say, and count as 0 (S1.12)
  if (header.delegationDepth !== undefined && depth !== above + 1)
    say(`its depth is ${shown(depth)}, that of its parent ${shown(above)}`);
  if (project !== parent.project) say(`its project is ${shown(project)}, that of its parent ${shown(parent.project)}`);
}

function judgeSeed(trace: Trace, session: TracedSession, say: (what: string) => void): void {
  const { header, all } = session;
  const count = header.inheritedEvents;
  if (!(count > 0)) return;
  if (!Number.isSafeInteger(count) || count > all.length) say(`it has ${all.length} events, ${shown(count)} of them inherited`);
  const seed = all.slice(0, seedLength({ header, events: all }));
  if (seed.at(-1)?.type !== 'turn/ended') say('its seed does not end with a turn');
  const begins = (donor: TracedSession | undefined) =>
    donor !== undefined && donor !== session && seed.every((event, place) => isSame(event, donor.all[place]));
  const parent = trace.byId.get(header.parentSession ?? '');
  if (parent === undefined || begins(parent)) return;
  if (!trace.sessions.some(begins)) say('its seed is the beginning of no other log');
}
