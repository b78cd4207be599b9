/** The paths of the activation, walked with live agents: the real runtime, a held driver, store, clock and parent. */
import { describe, expect, test } from 'vitest';
import type { AnyStateMachine, EventObject } from 'xstate';
import { type ActivationKind, activationMachine } from '../../../src/machines/index.ts';
import { edgeNames } from '../../../src/testing/index.ts';
import { noteFigure } from '../../support/figures.ts';
import { namePath, type Reached, statePaths } from '../paths.ts';
import { directEdges, directStep } from './direct.ts';
import { judge } from './judge.ts';
import type { LiveWorld } from './live-facts.ts';
import { complete, liveKeys, liveModel } from './live-model.ts';
import { perform } from './perform.ts';

const machine: AnyStateMachine = activationMachine;
const kinds = ['local', 'external', 'host'] as const satisfies readonly ActivationKind[];
const models = Object.fromEntries(kinds.map((kind) => [kind, liveModel(kind, machine)])) as Record<
  ActivationKind,
  ReturnType<typeof liveModel>
>;
const reached = new Map<ActivationKind, readonly Reached<LiveWorld>[]>(
  kinds.map((kind) => [kind, statePaths(models[kind], liveKeys)]),
);
const takenByTheWorld = new Set<string>();
const takenDirectly = new Set<string>();

/** The path to each state, and every event that can come there. */
function pathsOf(kind: ActivationKind): readonly (readonly EventObject[])[] {
  const paths = new Map<string, readonly EventObject[]>();
  for (const { snapshot, world, events } of reached.get(kind) ?? []) {
    if (snapshot.status !== 'active') continue;
    for (const event of models[kind].options(snapshot, world)) {
      const path = complete(models[kind], [...events, event]);
      paths.set(namePath(path), path);
    }
  }
  return [...paths.values()];
}

describe.each(kinds)('a live agent of kind %s', (kind) => {
  test('goes the way of the machine on every path, and leaves a clean world (S2.1 to S2.10, S4.1, S4.3)', async () => {
    const paths = pathsOf(kind);
    for (const path of paths) {
      const { stage, taken } = await perform(kind, models[kind], path);
      expect(await judge(stage), namePath(path)).toBeUndefined();
      for (const edge of taken) takenByTheWorld.add(edge);
    }
    noteFigure('livePaths', paths.length);
    console.log(`live ${kind}: ${reached.get(kind)?.length} states, ${paths.length} paths walked`);
  });
});

test.each(Object.entries(directEdges))('sent to the live agent itself: %s, since %s', async (edge) => {
  const step = kinds
    .map((kind) => ({ kind, found: directStep(models[kind], reached.get(kind) ?? [], edge) }))
    .find(({ found }) => found !== undefined);
  if (step?.found === undefined) throw new Error('no reachable state takes it');
  const { kind, found } = step;
  const { stage, taken } = await perform(kind, models[kind], found.from.events, { direct: found.events });
  expect([...taken], namePath(found.events)).toContain(edge);
  takenDirectly.add(edge);
  await judge(stage);
});

test('every edge of the activation was taken live, by the world where it can', () => {
  const names = edgeNames(machine);
  const missed = names.filter((name) => !takenByTheWorld.has(name));
  console.log(
    `live activation: ${names.length} edges, ${names.length - missed.length} by the world, ${takenDirectly.size} directly`,
  );
  expect(missed.toSorted()).toEqual(Object.keys(directEdges).toSorted());
  expect(missed.filter((name) => !takenDirectly.has(name))).toEqual([]);
  noteFigure('edges', names.length);
  noteFigure('edgesTaken', names.length - missed.length + takenDirectly.size);
});
