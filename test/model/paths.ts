/**
 * Paths that a real agent can walk, generated from the machine graph.
 *
 * The traversal is `@xstate/graph`'s, over the machine together with its surroundings, so that no path answers what was never
 * asked. Its key keeps the facts that decide what can happen next and drops those that only travel along; every path is
 * replayed, because the states that the traversal reports beside its events may belong to another path.
 */
import { getShortestPaths } from '@xstate/graph';
import type { AnyMachineSnapshot, EventObject } from 'xstate';
import { nextStep as takeStep } from '../../src/testing/graph/step.ts';
import { firstStep, type Model, nameEvent, nextStep } from './explore.ts';

export interface Path {
  readonly name: string;
  readonly events: readonly EventObject[];
}

/** The state that a path ends in. */
export interface Reached<World> extends Path {
  readonly snapshot: AnyMachineSnapshot;
  readonly world: World;
}

interface Pair<World> {
  readonly snapshot: AnyMachineSnapshot;
  readonly world: World;
  readonly status: 'active';
}

/** How a traversal tells states apart. */
export interface Keys<World> {
  /** One path is kept for each value of this key. */
  state(snapshot: AnyMachineSnapshot, world: World): string;
  /** Further facts of the world that decide what can happen next. */
  facts(world: World): string;
}

/** The shortest path to each state. */
export function statePaths<World>(model: Model<World>, keys: Keys<World>): Reached<World>[] {
  const stateOf = ({ snapshot, world }: Pair<World>) =>
    snapshot.status === 'active' ? keys.state(snapshot, world) : snapshot.status;
  const keyOf = (at: Pair<World>) => `${stateOf(at)} ${at.snapshot.status === 'active' ? keys.facts(at.world) : ''}`;
  const pair = (after: Omit<Pair<World>, 'status'>): Pair<World> => ({ ...after, status: 'active' });
  const logic = {
    getInitialSnapshot: () => pair(firstStep(model).after),
    transition: (before: Pair<World>, event: EventObject) => pair(nextStep(model, before, event).after),
  };
  const found = getShortestPaths(
    logic as never,
    {
      events: ({ snapshot, world }: Pair<World>) => model.options(snapshot, world),
      serializeState: keyOf,
      stopWhen: ({ snapshot }: Pair<World>) => snapshot.status !== 'active',
      limit: 1_000_000,
    } as never,
  ) as unknown as readonly { readonly state: Pair<World>; readonly steps: readonly { readonly event: EventObject }[] }[];

  const shortest = new Map<string, readonly EventObject[]>();
  for (const { state, steps } of found) {
    const key = stateOf(state);
    const events = steps.slice(1).map(({ event }) => event);
    if (events.length < (shortest.get(key)?.length ?? Number.POSITIVE_INFINITY)) shortest.set(key, events);
  }
  return [...shortest.values()].sort((one, other) => one.length - other.length).map((events) => walk(model, events));
}

/** Walks the events; throws if one of them cannot happen where the path has come to. */
export function walk<World>(model: Model<World>, events: readonly EventObject[]): Reached<World> {
  let { after } = firstStep(model);
  for (const [index, event] of events.entries()) {
    const isPossible = model.options(after.snapshot, after.world).some((option) => nameEvent(option) === nameEvent(event));
    if (!isPossible) throw new Error(`${model.name}: ${namePath(events.slice(0, index + 1))} cannot happen`);
    after = nextStep(model, after, event).after;
  }
  return { name: namePath(events), events, ...after };
}

export function namePath(events: readonly EventObject[]): string {
  return ['start', ...events.map(nameEvent)].join(' > ');
}

export interface Cover<World> {
  /** Few paths that together take every edge that can be taken. */
  readonly paths: readonly (Path & { readonly from: Reached<World> })[];
  readonly taken: ReadonlySet<string>;
}

/** Each state's path and one more event, kept if it takes an edge that none before it took. */
export function coverEdges<World>(model: Model<World>, reached: readonly Reached<World>[]): Cover<World> {
  const taken = new Set<string>();
  const paths: (Path & { from: Reached<World> })[] = [];
  for (const from of reached) {
    if (from.snapshot.status !== 'active') continue;
    for (const event of model.options(from.snapshot, from.world)) {
      const fresh = takeStep(model.machine, from.snapshot, event).edges.filter((edge) => !taken.has(edge));
      if (fresh.length === 0) continue;
      for (const edge of fresh) taken.add(edge);
      const events = [...from.events, event];
      paths.push({ name: namePath(events), events, from });
    }
  }
  return { paths, taken };
}
