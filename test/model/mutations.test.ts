/** The checks are only as good as the faults they catch (R18): each planted fault must be caught, and is named with its catcher. */
import { expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { activationMachine, attachmentMachine, runtimeMachine } from '../../src/machines/index.ts';
import { edgeNames } from '../../src/testing/index.ts';
import { noteFigure } from '../support/figures.ts';
import { firstFailure, type MachineName } from './checks.ts';
import { mutate } from './mutate.ts';
import { mutations } from './mutations.ts';

const machines: Readonly<Record<MachineName, AnyStateMachine>> = {
  activation: activationMachine,
  attachment: attachmentMachine,
  runtime: runtimeMachine,
};

test.each(Object.keys(machines) as MachineName[])('a copy of the %s without a fault has the same edges', (name) => {
  expect(edgeNames(mutate(machines[name], () => undefined))).toEqual(edgeNames(machines[name]));
});

test.each(mutations.map(({ machine, name, fault }) => ({ machine, name, fault })))(
  'caught: $machine: $name',
  ({ machine, name, fault }) => {
    const failure = firstFailure(machine, mutate(machines[machine], fault));
    console.log(`${machine}: ${name}\n    caught by: ${failure}`);
    noteFigure('mutations', 1);
    noteFigure('mutationsCaught', failure === undefined ? 0 : 1);
    expect(failure).toBeDefined();
  },
);
