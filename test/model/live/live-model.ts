/** The activation machine in the surroundings that the real runtime makes, ready to be walked. */
import type { AnyStateMachine, EventObject } from 'xstate';
import type { ActivationEvent, ActivationKind } from '../../../src/machines/index.ts';
import { activationModel, pathKeys } from '../activation-model.ts';
import type { Scope } from '../activation-world.ts';
import { firstStep, type Model, nextStep } from '../explore.ts';
import type { Keys } from '../paths.ts';
import { followsByItself, type LiveWorld, liveFacts } from './live-facts.ts';
import { liveOptions } from './live-options.ts';

const liveScope: Scope = {
  bounds: { queuedMax: 2, offeredMax: 1, childrenMax: 1 },
  parkedMax: 1,
  outcomes: ['completed'],
  mails: ['keep'],
  followsOutcome: false,
};
const hostScope: Scope = { ...liveScope, bounds: { ...liveScope.bounds, queuedMax: 1 } };

export function liveModel(kind: ActivationKind, machine: AnyStateMachine): Model<LiveWorld> {
  const base = activationModel(kind, kind === 'host' ? hostScope : liveScope, machine);
  return {
    ...base,
    name: `live activation (${kind})`,
    start: () => ({
      ...base.start(),
      writes: '',
      due: '',
      isClaiming: false,
      isFresh: false,
      isDraining: false,
      isFaulty: false,
    }),
    options: (snapshot, world) => liveOptions(kind, snapshot, world),
    follow: (world, event, effects, before, after) => {
      const next = { ...world, ...base.follow(world, event, effects, before, after) };
      return { ...next, ...liveFacts(kind, world, next, event as ActivationEvent | undefined, effects, after.context.outcome) };
    },
    rules: {},
  };
}

export const liveKeys: Keys<LiveWorld> = {
  state: (snapshot, world) => `${pathKeys.state(snapshot, world)} ${world.isFaulty}`,
  facts: (world) =>
    [
      pathKeys.facts(world),
      world.writes,
      world.due,
      world.isClaiming,
      world.isFresh,
      world.isDraining,
      world.isFaulty,
      world.queued,
    ].join(' '),
};

/** The path with all that comes by itself after it. */
export function complete(model: Model<LiveWorld>, events: readonly EventObject[]): EventObject[] {
  const all = [...events];
  let at = firstStep(model).after;
  for (let index = 0; ; index++) {
    const [next] = index < all.length ? [] : model.options(at.snapshot, at.world);
    if (next && followsByItself(at.world, next) && next.type !== 'message.returned') all.push(next);
    const event = all[index];
    if (event === undefined) return all;
    at = nextStep(model, at, event).after;
  }
}
