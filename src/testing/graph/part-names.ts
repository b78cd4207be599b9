/** Names for the parts of a machine and for events, short enough for a line and the same in every run. */
import type { EventObject } from 'xstate';
import { canonical } from './canonical.ts';

const detailCharsMax = 40;

/** `hasRoom`, `and(hasRoom, not(isOwner))`, or `inline`. */
export function nameGuard(guard: unknown): string {
  const { guards, stateValue } = Object(guard) as { readonly guards?: readonly unknown[]; readonly stateValue?: unknown };
  if (Array.isArray(guards)) return `${nameAction(guard)}(${guards.map(nameGuard).join(', ')})`;
  if (stateValue !== undefined) return `stateIn(${typeof stateValue === 'string' ? stateValue : canonical(stateValue)})`;
  return nameAction(guard);
}

/** The name it was set up with, `assign` for XState's own, the function's name, or `inline`. */
export function nameAction(part: unknown): string {
  if (typeof part === 'string') return part;
  const { type, name } = part as { readonly type?: unknown; readonly name?: unknown };
  if (typeof type === 'string') return type.replace(/^xstate\./, '');
  // an arrow function in `{ guard: () => true }` is named after its property, which tells nothing
  return typeof name === 'string' && !['', 'guard', 'actions'].includes(name) ? name : 'inline';
}

/** `order.placed(count: 2)`. The id of an actor is in the type already. */
export function nameEvent({ type, ...details }: EventObject): string {
  const told = Object.entries(details).filter(([key, value]) => value !== undefined && key !== 'actorId');
  const named = told.map(([key, value]) => `${key}: ${clip(canonical(value))}`);
  return named.length === 0 ? type : `${type}(${named.join(', ')})`;
}

export function namePath(events: readonly EventObject[]): string {
  return ['start', ...events.map(nameEvent)].join(' > ');
}

export function clip(text: string, charsMax = detailCharsMax): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`;
}
