/** What a machine waits for beside its events: timers that it armed, and actors that have not ended. */
import type { AnyMachineSnapshot, EventObject } from 'xstate';
import { actorName } from './canonical.ts';
import type { Step } from './step.ts';

export interface Waiting {
  /** Types of the `after` events whose timer is armed. A timer fires once. */
  readonly timers: readonly string[];
  /** Children of the snapshot that have sent their end. They send nothing more. */
  readonly ended: ReadonlySet<unknown>;
}

export const nothingWaits: Waiting = { timers: [], ended: new Set() };

export function waitingAfter(
  { timers, ended }: Waiting,
  before: AnyMachineSnapshot | undefined,
  event: EventObject,
  step: Step,
): Waiting {
  const armed = new Set(timers);
  armed.delete(event.type);
  for (const { type, params } of step.actions) {
    const { id, sendId, delay } = Object(params) as { id?: string; sendId?: string; delay?: unknown };
    if (type === 'xstate.raise' && typeof delay === 'number' && id?.startsWith('xstate.after.')) armed.add(id);
    if (type === 'xstate.cancel' && sendId !== undefined) armed.delete(sendId);
  }
  return { timers: [...armed], ended: endedAfter(ended, before, event, step.snapshot) };
}

function endedAfter(
  ended: ReadonlySet<unknown>,
  before: AnyMachineSnapshot | undefined,
  { type }: EventObject,
  { children }: AnyMachineSnapshot,
): ReadonlySet<unknown> {
  const id = /^xstate\.(?:done|error)\.actor\.(.+)$/.exec(type)?.[1];
  const now = new Set([...ended, ...(id !== undefined && before?.children[id] ? [before.children[id]] : [])]);
  if (now.size === 0) return ended;
  const present = new Set<unknown>(Object.values(children));
  return new Set([...now].filter((child) => present.has(child)));
}

/** The part of a state's key that comes from what it waits for. */
export function waitingKey({ timers, ended }: Waiting): string {
  const names = [...ended].map((child) => actorName(child as never));
  return [...[...timers].sort(), ...names.sort().map((name) => `ended ${name}`)].join(',');
}
