/** All that the pure suite checks of a machine, as one function, so that it can be turned on faulty machines too. */
import type { AnyStateMachine } from 'xstate';
import type { ActivationKind } from '../../src/machines/index.ts';
import { edgeNames } from '../../src/testing/index.ts';
import { activationModel, briefFlow, ends, flow, pathKeys } from './activation-model.ts';
import type { ActivationWorld } from './activation-world.ts';
import { cannotEnd, type Exploration, explore, type Model, type Violation } from './explore.ts';
import { openWorldStates } from './open-world.ts';
import { coverEdges, statePaths } from './paths.ts';
import { restsByDesign, restsOf } from './rests.ts';
import { attachmentModel, type GroupWorld, runtimeModel } from './small-models.ts';

export type MachineName = 'activation' | 'attachment' | 'runtime';

/** The first check that the machine fails, or undefined. Cheap checks first. */
export function firstFailure(name: MachineName, machine: AnyStateMachine): string | undefined {
  if (name === 'activation') return activationFailure(machine);
  const model = name === 'attachment' ? attachmentModel(machine) : runtimeModel(machine);
  return brokenRule(model) ?? unended(model) ?? uncovered(machine, [coverGroup(model)]);
}

/** Most faults show in the small graphs too, and sooner. */
const fromSmallToLarge = ['external', 'host', 'local'] as const satisfies readonly ActivationKind[];

function activationFailure(machine: AnyStateMachine): string | undefined {
  for (const scope of [briefFlow, ends]) {
    for (const kind of fromSmallToLarge) {
      const failure = brokenRule(activationModel(kind, scope, machine), `${kind}: `);
      if (failure) return failure;
    }
  }
  const taken: ReadonlySet<string>[] = [];
  for (const kind of fromSmallToLarge) {
    const model = activationModel(kind, flow, machine);
    const found = explore(model, { stopsAtViolation: true });
    const failure = describe(found.violations, `${kind}: `) ?? wrongRest(kind, model, found) ?? openFailure(machine, kind);
    if (failure) return failure;
    taken.push(coverEdges(model, statePaths(model, pathKeys)).taken);
  }
  return uncovered(machine, taken);
}

function wrongRest(kind: ActivationKind, model: Model<ActivationWorld>, found: Exploration<ActivationWorld>): string | undefined {
  if (cannotEnd(found, () => true).length > 0) return `${kind}: can always be ended`;
  const rests = JSON.stringify(restsOf(model, found));
  return rests === JSON.stringify(restsByDesign[kind])
    ? undefined
    : `${kind}: rests only where it waits for someone by design: ${rests}`;
}

function brokenRule<World>(model: Model<World>, where = ''): string | undefined {
  return describe(explore(model, { stopsAtViolation: true }).violations, where);
}

function describe([violation]: readonly Violation[], where: string): string | undefined {
  return violation && `${where}${violation.rule}: ${violation.what} (${violation.path.join(' > ')})`;
}

function openFailure(machine: AnyStateMachine, kind: ActivationKind): string | undefined {
  const isFailed = openWorldStates(machine, kind).some(({ status }) => status === 'error');
  return isFailed ? `${kind}: is never in error, even if its surroundings keep no promise` : undefined;
}

function unended(model: Model<GroupWorld>): string | undefined {
  return cannotEnd(explore(model), () => true).length > 0 ? 'can always be ended' : undefined;
}

export function coverGroup(model: Model<GroupWorld>): ReadonlySet<string> {
  return coverEdges(model, statePaths(model, groupKeys(model))).taken;
}

export function groupKeys(model: Model<GroupWorld>) {
  return { state: model.keyOf, facts: (world: GroupWorld) => Object.values(world).join(' ') };
}

function uncovered(machine: AnyStateMachine, taken: readonly ReadonlySet<string>[]): string | undefined {
  const missed = edgeNames(machine).filter((edge) => !taken.some((set) => set.has(edge)));
  return missed.length > 0 ? `every edge has a path: none takes ${missed.join('; ')}` : undefined;
}
