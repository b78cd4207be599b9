/** Where an activation may stay by design when nobody commands anything, and which waits have no deadline. The whole list. */
import type { AnyMachineSnapshot } from 'xstate';
import type { ActivationContext, ActivationKind } from '../../src/machines/index.ts';
import type { ActivationWorld } from './activation-world.ts';
import { cannotEnd, type Exploration, type Found, type Model, waitsWithoutDeadline } from './explore.ts';

const held = 'resident.waiting.held';
const idle = 'resident.waiting.idle';

interface Rests {
  /** It ends only after somebody commands something. */
  readonly untilCommanded: readonly string[];
  /** It moves on by itself, but nothing bounds when. */
  readonly unbounded: readonly string[];
}

/** A held agent waits for a message, parked mail for a claim, a host for its program; a turn and a child take their
 * time, a child also after the bound of its parent's end: it is bounded itself. */
export const restsByDesign: Readonly<Record<ActivationKind, Rests>> = {
  local: {
    untilCommanded: [held, `${idle} with parked mail`, `${idle} with parked mail and children`],
    unbounded: ['releasing.emptying', 'resident.running.active', `${idle} with children`],
  },
  external: { untilCommanded: [], unbounded: ['resident.running.active'] },
  host: { untilCommanded: [held, `${idle} as a host`], unbounded: ['releasing.emptying', 'resident.running.active'] },
};

export function restsOf(model: Model<ActivationWorld>, found: Exploration<ActivationWorld>): Rests {
  const untilCommanded = distinct(cannotEnd(found, model.isAnswer).map(describeRest));
  const waits = distinct(waitsWithoutDeadline(model, found).map(describeRest));
  return { untilCommanded, unbounded: waits.filter((wait) => !untilCommanded.includes(wait)) };
}

function describeRest({ snapshot, world }: Found<ActivationWorld>): string {
  const { kind, parked, children } = snapshot.context as ActivationContext;
  const place = placeOf(snapshot);
  if (place !== idle) return place;
  if (kind === 'host') return `${place} as a host`;
  const reasons = [parked > 0 && 'parked mail', children > 0 && 'children', world.queued > 0 && 'waking mail'];
  return `${place} with ${reasons.filter(Boolean).join(' and ')}`;
}

function placeOf(snapshot: AnyMachineSnapshot): string {
  return JSON.stringify(snapshot.value).replaceAll(/[{}"]/g, '').replaceAll(':', '.');
}

const distinct = (names: readonly string[]) => [...new Set(names)].sort();
