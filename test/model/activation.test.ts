/** The activation machine, explored whole: with its surroundings, rule by rule, and alone. */
import { describe, expect, test } from 'vitest';
import { type ActivationContext, activationMachine } from '../../src/machines/index.ts';
import { noteFigure } from '../support/figures.ts';
import { activationModel, ends, flow, kinds, stateKeyOf } from './activation-model.ts';
import type { ActivationWorld } from './activation-world.ts';
import { cannotEnd, type Exploration, explore } from './explore.ts';
import { openWorldStates } from './open-world.ts';
import { restsByDesign, restsOf } from './rests.ts';

const statesMax = 1_000;

describe.each(kinds)('an activation of kind %s', (kind) => {
  const models = { flow: activationModel(kind, flow), ends: activationModel(kind, ends) };
  const explored = new Map<string, Exploration<ActivationWorld>>();
  const exploreOnce = (name: keyof typeof models) => {
    const found = explored.get(name) ?? explore(models[name]);
    explored.set(name, found);
    return found;
  };

  test.each(['flow', 'ends'] as const)('keeps every rule, whatever happens around it (%s; S2.1, S2.3, S2.4)', (name) => {
    const model = models[name];
    const found = exploreOnce(name);
    const steps = [...found.states.values()].reduce((sum, { next }) => sum + next.length, 0);
    console.log(
      `${model.name}, ${name}: ${found.states.size} states with surroundings, ${steps} steps, ${Object.keys(model.rules).length} rules`,
    );
    noteFigure('modelStates', found.states.size);
    noteFigure('modelSteps', steps);
    noteFigure('modelViolations', found.violations.length);
    expect(found.violations).toEqual([]);
  });

  test('can always be ended, and rests only where it waits for someone by design (S2.1, S2.8, S4.1)', () => {
    const found = exploreOnce('flow');
    expect(cannotEnd(found, () => true)).toEqual([]);

    expect(restsOf(models.flow, found)).toEqual(restsByDesign[kind]);
  });

  test('has at most a thousand states, and none in error, even if its surroundings keep no promise', () => {
    const states = openWorldStates(activationMachine, kind);
    const active = states.filter(({ status }) => status === 'active');
    console.log(`activation (${kind}), alone: ${states.length} states`);
    expect(states.length).toBeLessThanOrEqual(statesMax);
    expect(new Set(states.map(stateKeyOf)).size).toBe(states.length);
    expect(states.filter(({ status }) => status === 'error')).toEqual([]);
    for (const { context } of states) {
      const { queued, parked, offered, children } = context as ActivationContext;
      expect(Math.min(queued, parked, offered, children)).toBeGreaterThanOrEqual(0);
    }
    expect(active.some((snapshot) => snapshot.matches({ resident: 'settled' }))).toBe(kind !== 'host');
  });
});
