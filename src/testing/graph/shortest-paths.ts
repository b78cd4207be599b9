/**
 * The traversal: `@xstate/graph` finds the shortest path to each state. The package is an optional peer, so it is loaded by the
 * call that needs it; the rest of `troupe/testing` works without it.
 */
import { createRequire } from 'node:module';
import type { EventObject } from 'xstate';

/** What is walked. Places are compared by `key`; an event object stands for itself. */
export interface Walk<Place> {
  readonly start: Place;
  next(from: Place, event: EventObject): Place;
  /** Of all places with one key, the first. */
  firstOf(place: Place): Place;
  sent(place: Place): readonly EventObject[];
  isOver(place: Place): boolean;
}

type GetShortestPaths = (
  logic: unknown,
  options: unknown,
) => readonly { readonly steps: readonly { readonly event: EventObject }[] }[];

/**
 * The events that lead to each state, shortest first. Only the events are taken from the traversal: the states that it tells
 * beside them are those of whichever path came last.
 */
export function shortestPaths<Place extends { readonly key: string }>(walk: Walk<Place>): (readonly EventObject[])[] {
  const logic = {
    getInitialSnapshot: () => walk.start,
    transition: (place: Place, event: EventObject) => walk.firstOf(walk.next(place, event)),
  };
  const numbers = new Map<EventObject, number>();
  const numberOf = (event: EventObject) => numbers.get(event) ?? numbers.set(event, numbers.size).size - 1;
  const found = load()(logic, {
    events: (place: Place) => walk.sent(place),
    // the traversal keeps both as keys of plain objects: a letter first, so that none is a number or `constructor`
    serializeState: ({ key }: Place) => `s ${key}`,
    serializeEvent: (event: EventObject) => `e ${numberOf(event)}`,
    stopWhen: (place: Place) => walk.isOver(place),
  });
  const paths = found.map(({ steps }) => steps.slice(1).map(({ event }) => event));
  return paths.sort((one, other) => one.length - other.length);
}

function load(): GetShortestPaths {
  return (createRequire(import.meta.url)('@xstate/graph') as { readonly getShortestPaths: GetShortestPaths }).getShortestPaths;
}
