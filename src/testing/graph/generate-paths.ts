/** Few paths that together take every edge that can be taken. */
import type { AnyStateMachine, EventObject } from 'xstate';
import { namePath } from './part-names.ts';
import { shortestPaths } from './shortest-paths.ts';
import type { MachinePath, PathOptions } from './types.ts';
import { type Place, Walker, type WalkRules } from './walker.ts';

/**
 * The shortest path to each state, and one more event where that takes an edge that none before it took; without those that are
 * the beginning of another. Shortest first, the same in every run. A machine without edges has one path, of no steps.
 *
 * Nothing is executed but guards and what XState's own actions compute. `INVALID_ARGUMENT` if the machine has more than
 * `statesMax` states, throws, or changes its context in place; `UNSUPPORTED_CAPABILITY` without `@xstate/graph`.
 */
export function generatePaths<Machine extends AnyStateMachine>(
  machine: Machine,
  options: PathOptions<Machine> = {},
): MachinePath<Machine>[] {
  const walker = new Walker(machine, options as WalkRules);
  const shortest = shortestPaths(walker);
  walker.check();
  const used = new Map<string, number>();
  return withoutBeginnings(coverEdges(walker, shortest)).map((events) => {
    const name = namePath(events);
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    return pathOf(walker, count === 1 ? name : `${name} #${count}`, events) as unknown as MachinePath<Machine>;
  });
}

function coverEdges(walker: Walker, shortest: readonly (readonly EventObject[])[]): (readonly EventObject[])[] {
  const taken = new Set(walker.start.edges);
  const paths: (readonly EventObject[])[] = [];
  for (const events of shortest) {
    const place = placesOn(walker, events).at(-1) ?? walker.start;
    for (const event of walker.sent(place)) {
      const fresh = walker.next(place, event).edges.filter((edge) => !taken.has(edge));
      if (fresh.length === 0) continue;
      for (const edge of fresh) taken.add(edge);
      paths.push([...events, event]);
    }
  }
  return paths.length === 0 ? [[]] : paths;
}

/** What a longer path does first needs no path of its own. */
function withoutBeginnings(paths: readonly (readonly EventObject[])[]): (readonly EventObject[])[] {
  const begins = (short: readonly EventObject[], long: readonly EventObject[]) =>
    short.length < long.length && short.every((event, index) => event === long[index]);
  return paths.filter((path) => !paths.some((other) => begins(path, other)));
}

function placesOn(walker: Walker, events: readonly EventObject[]): Place[] {
  const places: Place[] = [];
  for (const event of events) places.push(walker.next(places.at(-1) ?? walker.start, event));
  return places;
}

function pathOf(walker: Walker, name: string, events: readonly EventObject[]) {
  const places = placesOn(walker, events);
  const all = [walker.start, ...places];
  return {
    name,
    start: walker.start.snapshot,
    steps: places.map(({ event, snapshot, edges }) => ({ event, snapshot, edges })),
    state: (places.at(-1) ?? walker.start).snapshot,
    edges: [...new Set(all.flatMap(({ edges }) => edges))],
    entered: [...new Set(all.flatMap(({ entered }) => entered))],
  };
}
