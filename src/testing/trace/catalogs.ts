/** Rules `catalog` and `settled-catalog`: parents and children know the same of each other. */
import { shown } from './shown.ts';
import type { ChildEvent, Say, Trace, TracedSession } from './trace.ts';

export function judgeCatalogs(trace: Trace, say: Say): void {
  const parents = new Map<string, TracedSession>();
  for (const session of trace.sessions) {
    for (const event of session.own) {
      if (event.type !== 'subagent/child') continue;
      const { id } = event.data;
      const before = parents.get(id);
      if (before !== undefined) say('catalog', session, `${id} is listed by ${before.id} already`, event);
      parents.set(id, session);
      const fault = entryFault(trace, session, event);
      if (fault !== undefined) say('catalog', session, fault, event);
    }
  }
  for (const session of trace.sessions) judgeUnlisted(trace, session, say);
}

function entryFault({ byId }: Trace, parent: TracedSession, { data }: ChildEvent): string | undefined {
  const { id, mode, label, createdAt } = data;
  const child = byId.get(id);
  // children of older or foreign logs may have no session, or none that can be read
  if (mode === 'one-shot' || mode === 'unknown') return undefined;
  if (mode === 'external') return child === undefined ? undefined : `the external child ${id} has the id of a session`;
  if (child === undefined) return `the child ${id} has no session`;
  if (child.header.parentSession !== parent.id) return `${id} is the child of ${shown(child.header.parentSession ?? 'nobody')}`;
  if (createdAt !== child.header.createdAt) return `${id} was made at ${shown(child.header.createdAt)}, not at ${createdAt}`;
  if (child.descriptor !== undefined && label !== child.descriptor.label)
    return `${id} is labelled ${child.descriptor.label}, not ${label}`;
  return undefined;
}

/** A start that was never announced: recovery deletes it, and nothing may have run in it. */
function judgeUnlisted({ byId }: Trace, session: TracedSession, say: Say): void {
  const parent = byId.get(session.header.parentSession ?? '');
  if (parent === undefined || parent.listed.has(session.id)) return;
  const more = session.own[2];
  if (more !== undefined) say('catalog', session, `${parent.id} does not list it, and it goes on`, more);
  say('settled-catalog', session, `${parent.id} does not list it`);
}
