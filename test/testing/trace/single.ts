/** Spoils of one event: it is dropped, doubled, exchanged with the next, or one value in it is another or gone. */
import type { Draft } from './draft.ts';

export type Change = 'drop' | 'double' | 'swap' | 'alter' | 'delete';

export interface Single {
  readonly label: string;
  /** Of the event in its log. */
  readonly place: number;
  readonly change: Change;
  /** Of `alter` and `delete`: where the value is in the event. */
  readonly path: readonly string[];
}

/** Undefined if the mutation is none: there is nothing to exchange, or the two are the same. */
export function spoil(draft: Draft, { label, place, change, path }: Single): Draft | undefined {
  const { events } = draft.session(label);
  const event = events[place];
  if (event === undefined) throw new Error(`${label} has no event ${place}`);
  switch (change) {
    case 'drop':
      draft.splice(label, place, 1);
      return draft;
    case 'double':
      draft.splice(label, place, 0, { ...event });
      return draft;
    case 'swap': {
      const next = events[place + 1];
      if (next === undefined) return undefined;
      draft.splice(label, place, 2, { ...next }, { ...event });
      return draft;
    }
    default:
      setValue(event, path, change);
      return draft;
  }
}

/** Paths of all values in the data of an event, and of its time. */
export function pathsIn(event: unknown): string[][] {
  const { time, data } = event as { time: unknown; data: unknown };
  return [...leaves(time, ['time']), ...leaves(data, ['data'])];
}

function leaves(value: unknown, path: string[]): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, below]) => leaves(below, [...path, key]));
}

function setValue(event: object, path: readonly string[], change: Change): void {
  let holder = event as Record<string, unknown>;
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
  const key = path.at(-1) ?? '';
  if (change === 'alter') holder[key] = another(holder[key]);
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

function another(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return `${value}x`;
    case 'number':
      return value + 1;
    case 'boolean':
      return !value;
    default:
      return 'another';
  }
}
