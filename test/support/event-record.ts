import type { Observable } from 'rxjs';
import type { SubagentEvent } from '../../src/registry/event-hub.ts';

type Type = SubagentEvent['type'];
type EventOf<Kind extends Type, Event = SubagentEvent> = Event extends { readonly type: infer Types }
  ? Kind extends Types
    ? Event
    : never
  : never;

/** Everything a runtime told, in order. */
export interface EventRecord {
  readonly all: readonly SubagentEvent[];
  of<Kind extends Type>(type: Kind): readonly EventOf<Kind>[];
  /** The start and end events of one child (or of all) as short texts: `start worker`, `end worker completed`. */
  lives(childId?: string): readonly string[];
  /** Resolves with the first event, past or to come, that has the type and fits. */
  first<Kind extends Type>(type: Kind, fits?: (event: EventOf<Kind>) => boolean): Promise<EventOf<Kind>>;
}

export function recordEvents(events$: Observable<SubagentEvent>): EventRecord {
  const all: SubagentEvent[] = [];
  const watchers = new Set<(event: SubagentEvent) => void>();
  events$.subscribe((event) => {
    all.push(event);
    for (const watch of [...watchers]) watch(event);
  });
  return {
    all,
    of: (type) => all.filter((event) => event.type === type) as never,
    lives: (childId) =>
      all.flatMap((event) => {
        if (event.type !== 'subagent/start' && event.type !== 'subagent/end') return [];
        if (childId !== undefined && event.id !== childId) return [];
        return event.type === 'subagent/start' ? [`start ${event.label}`] : [`end ${event.label} ${event.stopReason}`];
      }),
    first: (type, fits = () => true) =>
      new Promise((resolve) => {
        const watch = (event: SubagentEvent) => {
          if (event.type !== type || !fits(event as never)) return;
          watchers.delete(watch);
          resolve(event as never);
        };
        const past = all.find((event) => event.type === type && fits(event as never));
        if (past !== undefined) resolve(past as never);
        else watchers.add(watch);
      }),
  };
}
