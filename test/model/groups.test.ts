/** The attachment and runtime machines, explored whole. */
import { describe, expect, test } from 'vitest';
import { noteFigure } from '../support/figures.ts';
import { cannotEnd, explore, waitsWithoutDeadline } from './explore.ts';
import { attachmentModel, runtimeModel } from './small-models.ts';

const placesOf = (found: readonly { readonly snapshot: { readonly value: unknown } }[]) =>
  [...new Set(found.map(({ snapshot }) => String(snapshot.value)))].sort();

describe.each([
  // the children of one that leaves are bounded themselves
  { model: attachmentModel(), rests: ['cut', 'open'], unbounded: ['cut', 'leaving', 'open'] },
  { model: runtimeModel(), rests: ['open'], unbounded: ['open'] },
])('the $model.name', ({ model, rests, unbounded }) => {
  const found = explore(model);

  test('keeps every rule, whatever happens around it (S4.3, S4.6)', () => {
    console.log(`${model.name}: ${found.states.size} states with surroundings, ${Object.keys(model.rules).length} rules`);
    noteFigure('modelStates', found.states.size);
    noteFigure('modelViolations', found.violations.length);
    expect(found.violations).toEqual([]);
  });

  test('can always be ended, and rests only until it is asked to (S2.10, S4.6)', () => {
    expect(cannotEnd(found, () => true)).toEqual([]);
    expect(placesOf(cannotEnd(found, model.isAnswer))).toEqual(rests);
    expect(placesOf(waitsWithoutDeadline(model, found))).toEqual(unbounded);
  });
});
