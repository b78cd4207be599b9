/** What a suite is given to do, by name and by type. */
import { describe, expect, test } from 'vitest';
import { createMachine, fromPromise, setup } from 'xstate';
import { type PathSuiteOptions, pathSuite } from '../../../src/testing/index.ts';
import { Ledger, ledgerMachine, ledgerOptions } from './ledger.ts';
import { errorOf, messages } from './support.ts';

test('handlers know their events: the payload of the machine, and the details of what XState sends', async () => {
  const heard: unknown[] = [];
  const typed = setup({
    types: { events: {} as { type: 'B'; x: number } },
    actors: { load: fromPromise(async () => 1) },
  }).createMachine({
    id: 'typed',
    initial: 'a',
    states: { a: { invoke: { src: 'load', id: 'load', onDone: 'b' }, on: { B: 'b' } }, b: {} },
  });
  const loose = createMachine({ id: 'loose', initial: 'a', states: { a: { on: { X: 'b' } }, b: {} } });
  const suites = [
    pathSuite(typed, {
      includesActorsAndTimers: true,
      events: [{ type: 'B', x: 1 }],
      test: {
        events: {
          B: (_context, { x }) => void heard.push(x),
          'xstate.done.actor.load': (_context, { actorId }) => void heard.push(actorId),
        },
      },
    }),
    pathSuite(loose, { events: [{ type: 'X', y: 2 }], test: { events: { X: (_context, { y }) => void heard.push(y) } } }),
  ];
  for (const suite of suites) expect(await messages(suite)).toEqual([]);
  expect(heard).toEqual([1, 'load', 2]);
});

describe('a suite is refused at once', () => {
  const code = (test: Partial<PathSuiteOptions<typeof ledgerMachine, Ledger>['test']>) => {
    const right = ledgerOptions();
    return errorOf(() => pathSuite(ledgerMachine, { ...right, test: { ...right.test, ...test } })).message;
  };
  const { events } = ledgerOptions().test;

  test('when an event of a path has no handler', () => {
    const { 'ledger.sealed': _, 'ledger.closed': __, ...others } = events;
    expect(code({ events: others })).toBe('ledger sends events that the test has no handler for: ledger.closed, ledger.sealed');
    const test = { arrange: () => new Ledger(), events: { ...others, '*': () => undefined } };
    expect(() => pathSuite(ledgerMachine, { ...ledgerOptions(), test })).not.toThrow();
  });

  test('when it handles an event that the machine does not hear', () => {
    expect(code({ events: { ...events, 'ledger.burnt': () => undefined } as typeof events })).toBe(
      'ledger does not hear events that the test handles: ledger.burnt',
    );
  });

  test('when it looks at a state that the machine does not have', () => {
    expect(code({ states: { shut: () => undefined } })).toBe('ledger has no states that the test looks at: shut');
  });
});
