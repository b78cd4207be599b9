/** Every edge of every machine lies on a generated path: an edge added without one fails here. */
import { expect, test } from 'vitest';
import { activationMachine, attachmentMachine, runtimeMachine } from '../../src/machines/index.ts';
import { edgeNames } from '../../src/testing/index.ts';
import { noteFigure } from '../support/figures.ts';
import { activationModel, flow, kinds, pathKeys } from './activation-model.ts';
import { groupKeys } from './checks.ts';
import type { Model } from './explore.ts';
import { coverEdges, type Keys, statePaths } from './paths.ts';
import { attachmentModel, runtimeModel } from './small-models.ts';

function cover<World>(model: Model<World>, keys: Keys<World>): ReadonlySet<string> {
  const reached = statePaths(model, keys);
  const { paths, taken } = coverEdges(model, reached);
  console.log(`${model.name}: ${reached.length} states reached, ${paths.length} paths take ${taken.size} edges`);
  noteFigure('paths', paths.length);
  return taken;
}

test('every edge of the activation is on a path of some kind', () => {
  const taken = kinds.map((kind) => cover(activationModel(kind, flow), pathKeys));
  const names = edgeNames(activationMachine);
  console.log(`activation: ${names.length} edges`);
  expect(names.filter((name) => !taken.some((set) => set.has(name)))).toEqual([]);
});

test('every edge of the attachment is on a path (S4.3)', () => {
  const taken = cover(attachmentModel(), groupKeys(attachmentModel()));
  expect(edgeNames(attachmentMachine).filter((name) => !taken.has(name))).toEqual([]);
});

test('every edge of the runtime is on a path (S4.6)', () => {
  const taken = cover(runtimeModel(), groupKeys(runtimeModel()));
  expect(edgeNames(runtimeMachine).filter((name) => !taken.has(name))).toEqual([]);
});
