/** Paths through a machine: few that take every edge, or all that there are to try. */
import type { AnyStateMachine, EventObject } from 'xstate';
import { namePath } from './part-names.ts';
import { shortestPaths } from './shortest-paths.ts';
import type { MachinePath, PathOptions, TakenEdges } from './types.ts';
import { type Place, Walker, type WalkRules } from './walker.ts';

/**
 * The shortest path to each state, and one more event: where that takes an edge that none before it took, without the paths whose
 * edges others take too; or, with `covers: 'events'`, every event. Shortest first, the same in every run. A machine that hears
 * nothing has one path, of no steps.
 *
 * Nothing is executed but guards and what XState's own actions compute. `INVALID_ARGUMENT` if the machine has more than
 * `statesMax` states, throws, or changes its context in place. Without the package `@xstate/graph`: Node's `MODULE_NOT_FOUND`.
 */
export function generatePaths<Machine extends AnyStateMachine>(
  machine: Machine,
  options: PathOptions<Machine> = {},
): MachinePath<Machine>[] {
  const walker = new Walker(machine, options as WalkRules);
  const shortest = shortestPaths(walker);
  walker.check();
  const chosen = options.covers === 'events' ? everyEvent(walker, shortest) : everyEdge(walker, shortest);
  const paths = (chosen.length === 0 ? [[]] : chosen).map((events) => pathOf(walker, events));
  const used = new Map<string, number>();
  return (options.covers === 'events' ? paths : needed(paths)).map((path) => {
    const count = (used.get(path.name) ?? 0) + 1;
    used.set(path.name, count);
    return { ...path, name: count === 1 ? path.name : `${path.name} #${count}` } as unknown as MachinePath<Machine>;
  });
}

type Events = readonly EventObject[];

function everyEdge(walker: Walker, shortest: readonly Events[]): Events[] {
  const taken = new Set(walker.start.edges);
  const paths: Events[] = [];
  for (const events of shortest) {
    const place = placesOn(walker, events).at(-1) ?? walker.start;
    for (const event of walker.sent(place)) {
      const fresh = walker.edges(place, event).filter((edge) => !taken.has(edge));
      if (fresh.length === 0) continue;
      for (const edge of fresh) taken.add(edge);
      paths.push([...events, event]);
    }
  }
  return paths;
}

/** A path that finds a state from which more can be sent is the beginning of another. */
function everyEvent(walker: Walker, shortest: readonly Events[]): Events[] {
  return shortest.flatMap((events) => {
    const place = placesOn(walker, events).at(-1) ?? walker.start;
    const goesOn = (found: Place | undefined) => found !== undefined && walker.sent(found).length > 0;
    return walker.sent(place).flatMap((event) => (goesOn(walker.found(place, event)) ? [] : [[...events, event]]));
  });
}

/** Shortest first, a path goes if the others take every edge of it; what a longer path does first is the usual case. */
function needed<Path extends TakenEdges>(paths: readonly Path[]): Path[] {
  const uses = new Map<string, number>();
  for (const edge of paths.flatMap(({ edges }) => edges)) uses.set(edge, (uses.get(edge) ?? 0) + 1);
  const kept = paths.filter(({ edges }) => {
    if (edges.some((edge) => uses.get(edge) === 1)) return true;
    for (const edge of edges) uses.set(edge, (uses.get(edge) ?? 0) - 1);
    return false;
  });
  return kept.length === 0 ? paths.slice(0, 1) : kept;
}

function placesOn(walker: Walker, events: Events): Place[] {
  const places: Place[] = [];
  for (const event of events) places.push(walker.next(places.at(-1) ?? walker.start, event));
  return places;
}

function pathOf(walker: Walker, events: Events) {
  const places = placesOn(walker, events);
  const all = [walker.start, ...places];
  return {
    name: namePath(events),
    start: walker.start.snapshot,
    steps: places.map(({ event, snapshot, edges }) => ({ event, snapshot, edges })),
    state: (places.at(-1) ?? walker.start).snapshot,
    edges: [...new Set(all.flatMap(({ edges }) => edges))],
    entered: [...new Set(all.flatMap(({ entered }) => entered))],
  };
}
