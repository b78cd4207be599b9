import type { SessionEvent, SessionEventMap, SessionHeader } from './event.ts';

/** The catalog that a session owns, folded from its log: its direct children in the order of their start, inherited ones left out. */
export function subagentCatalog(
  header: SessionHeader,
  events: readonly SessionEvent[],
): readonly SessionEventMap['subagent/child'][] {
  return events.slice(header.inheritedEvents).flatMap((event) => (event.type === 'subagent/child' ? [event.data] : []));
}
