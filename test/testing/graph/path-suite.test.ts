/** A suite of a machine, turned on an ordinary implementation that is right, and on some that are not. */
import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { pathSuite, runSuite } from '../../../src/testing/index.ts';
import { mutate } from '../../model/mutate.ts';
import { type Ledger, ledgerMachine, ledgerOptions } from './ledger.ts';
import { messages } from './support.ts';

describe('the suite of a machine', () => {
  test('has a test for each path and one for all edges, and passes on an implementation that does the same', async () => {
    const made: Ledger[] = [];
    const suite = pathSuite(ledgerMachine, ledgerOptions(made));
    expect(suite.name).toBe('the paths of ledger');
    expect(suite.tests.map(({ name }) => name)).toEqual([
      'start > entry.added(text: "rent")',
      'start > ledger.closed > ledger.reopened',
      'start > ledger.closed > ledger.sealed',
      'takes every edge of ledger',
    ]);
    expect((await runSuite(suite)).failed).toEqual([]);
    expect(made).toHaveLength(3);
    expect(made.map(({ entries, isOpen, isSealed }) => [entries, isOpen, isSealed])).toEqual([
      [['rent'], true, false],
      [[], true, false],
      [[], false, true],
    ]);
  });

  test('can run again and in any order: its tests share nothing', async () => {
    const { tests, name } = pathSuite(ledgerMachine, ledgerOptions());
    const backwards = { name, tests: tests.toReversed() };
    expect((await runSuite(backwards)).failed).toEqual([]);
    expect((await runSuite(backwards)).failed).toEqual([]);
  });

  test('fails on an implementation that does something else, and says in which state, on which path, by which edge', async () => {
    const { test: right, ...rest } = ledgerOptions();
    const wrong = { ...right, events: { ...right.events, 'ledger.sealed': () => undefined } };
    const [failure, ...others] = await messages(pathSuite(ledgerMachine, { ...rest, test: wrong }));
    expect(others).toEqual([]);
    expect(failure).toContain('state "#ledger.sealed": ');
    expect(failure).toContain('\n  on the path start > ledger.closed > ledger.sealed\n  taking closed: ledger.sealed -> sealed');
  });

  test('fails with the event and the state before it when a handler throws, and keeps what it threw as the cause', async () => {
    const { test: right, ...rest } = ledgerOptions();
    const thrown = new TypeError('no ink');
    const wrong = {
      ...right,
      events: {
        ...right.events,
        'ledger.closed'() {
          throw thrown;
        },
      },
    };
    const { failed } = await runSuite(pathSuite(ledgerMachine, { ...rest, test: wrong }));
    expect(failed).toHaveLength(2);
    const error = failed[0]?.error as Error;
    expect(error.message).toMatch(/^event ledger\.closed in state "open": no ink\n {2}on the path start > ledger\.closed\n/);
    expect(error.cause).toBe(thrown);
  });

  test('fails with the two values that an assertion compared, for the test runner to show', async () => {
    const { test: right, ...rest } = ledgerOptions();
    const wrong = { ...right, events: { ...right.events, 'entry.added': () => undefined } };
    const { failed } = await runSuite(pathSuite(ledgerMachine, { ...rest, test: wrong }));
    expect(failed[0]?.error).toMatchObject({ actual: 0, expected: 1 });
  });

  test('disposes what it made, once for each path, also after a failure', async () => {
    const { test: right, ...rest } = ledgerOptions();
    const events: string[] = [];
    const suite = pathSuite(ledgerMachine, {
      ...rest,
      test: {
        ...right,
        states: {
          sealed() {
            throw new Error('not what it should be');
          },
        },
        dispose: (ledger) => {
          events.push(ledger.isSealed ? 'sealed' : 'not sealed');
        },
      },
    });
    expect(await messages(suite)).toHaveLength(1);
    expect(events).toEqual(['not sealed', 'not sealed', 'sealed']);
  });

  test('fails when what it made cannot be disposed', async () => {
    const { test: right, ...rest } = ledgerOptions();
    const dispose = () => Promise.reject(new Error('still in use'));
    expect(await messages(pathSuite(ledgerMachine, { ...rest, test: { ...right, dispose } }))).toHaveLength(3);
  });
});

describe('a machine with one fault', () => {
  const faults: readonly [fault: string, mutant: AnyStateMachine, told: RegExp][] = [
    [
      'an edge that leads elsewhere',
      mutate(ledgerMachine, ({ at }) => {
        at('closed').on = { 'ledger.reopened': { target: 'sealed', actions: 'forget' }, 'ledger.sealed': 'sealed' };
      }),
      /state "#ledger\.sealed": .*taking closed: ledger\.reopened \/ forget -> sealed/s,
    ],
    [
      'an edge that stays instead',
      mutate(ledgerMachine, ({ at }) => {
        at('open').on = { 'entry.added': { guard: 'hasRoom', actions: 'count' }, 'ledger.closed': {} };
      }),
      /state "open": .*taking open: ledger\.closed -> \(stays\)/s,
    ],
  ];
  const tried: typeof faults = [
    [
      'a guard that lets one more in',
      mutate(ledgerMachine, ({ guards }) => {
        guards.hasRoom = ({ context }: { context: { entries: number } }) => context.entries < 3;
      }),
      /state "open": .*> entry\.added\(text: "rent"\)\n {2}taking open: entry\.added/s,
    ],
    [
      'an action that is left out',
      mutate(ledgerMachine, ({ at }) => {
        at('closed').on = { 'ledger.reopened': 'open', 'ledger.sealed': 'sealed' };
      }),
      /state "open": .*on the path .*> ledger\.closed > ledger\.reopened\n/s,
    ],
  ];

  test.each(faults)('makes the suite fail on the right implementation, with state and edge: %s', async (_fault, mutant, told) => {
    const [first] = await messages(pathSuite(mutant as typeof ledgerMachine, ledgerOptions()));
    expect(first).toMatch(told);
  });

  test.each(tried)(
    'that shows only from some states is found by trying every event in every state: %s',
    async (_fault, mutant, told) => {
      const thorough = { ...ledgerOptions(), covers: 'events' } as const;
      expect(await messages(pathSuite(ledgerMachine, thorough))).toEqual([]);
      expect(await messages(pathSuite(mutant as typeof ledgerMachine, ledgerOptions()))).toEqual([]);
      const [first] = await messages(pathSuite(mutant as typeof ledgerMachine, thorough));
      expect(first).toMatch(told);
    },
  );
});
