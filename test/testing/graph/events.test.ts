/** Which events a path is made of. */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { eventTypes, generatePaths } from '../../../src/testing/index.ts';
import { missedBy, names } from './support.ts';

interface Sum {
  readonly total: number;
}
type SumEvent = { type: 'number.added'; by: number } | { type: 'sum.cleared' };

const sum = setup({
  types: { context: {} as Sum, events: {} as SumEvent },
  guards: {
    isSmall: ({ event }) => event.type === 'number.added' && event.by < 10,
    hasRoom: ({ context, event }) => event.type === 'number.added' && context.total + event.by <= 10,
  },
}).createMachine({
  id: 'sum',
  context: { total: 0 },
  on: {
    'number.added': [
      { guard: 'hasRoom', actions: assign({ total: ({ context, event }) => context.total + event.by }) },
      { guard: 'isSmall', actions: assign({ total: 0 }) },
    ],
    'sum.cleared': { actions: assign({ total: 0 }) },
  },
});

const mail = setup({}).createMachine({
  id: 'mail',
  initial: 'idle',
  states: {
    idle: { on: { 'letter.*': 'reading', 'bell.rung': 'open' } },
    reading: { on: { '*': 'idle', 'bell.rung': undefined } },
    open: {},
  },
});

describe('the events of a path', () => {
  test('are the types that the machine names, without wildcards and without what XState sends', () => {
    const machine = setup({}).createMachine({
      id: 'm',
      initial: 'a',
      states: {
        a: { on: { X: 'b', 'Y.*': 'b', '*': 'b' }, after: { 10: 'b' } },
        b: { initial: 'c', states: { c: { type: 'final' } }, onDone: 'a' },
      },
    });
    expect(eventTypes(machine)).toEqual(['X']);
  });

  test('are sent bare by default, so that an edge that needs a payload is missed and told', () => {
    const paths = generatePaths(sum);
    expect(names(paths)).toEqual(['start > sum.cleared']);
    expect(missedBy(sum, paths)).toHaveLength(2);
  });

  test('have the payloads of a list, and the types that it leaves out stay bare', () => {
    const paths = generatePaths(sum, {
      events: [
        { type: 'number.added', by: 7 },
        { type: 'number.added', by: 4 },
      ],
    });
    expect(names(paths)).toEqual(['start > sum.cleared', 'start > number.added(by: 7) > number.added(by: 7)']);
    expect(missedBy(sum, paths)).toEqual([]);
  });

  test('are those that a function gives for a state, and no others', () => {
    const paths = generatePaths(sum, { events: ({ context }) => [{ type: 'number.added', by: context.total === 0 ? 9 : 2 }] });
    expect(names(paths)).toEqual(['start > number.added(by: 9) > number.added(by: 2)']);
    expect(missedBy(sum, paths)).toEqual(['sum: sum.cleared / assign -> (stays)']);
  });

  test('leave out what is not accepted in a state', () => {
    const paths = generatePaths(mail, {
      events: [{ type: 'letter.read' }, { type: 'letter.posted' }],
      accepts: ({ type }, snapshot) => type !== 'letter.posted' || snapshot.value === 'reading',
    });
    expect(names(paths)).toEqual(['start > bell.rung', 'start > letter.read > bell.rung', 'start > letter.read > letter.read']);
  });

  test('never match a wildcard by themselves: a concrete one must be given', () => {
    expect(missedBy(mail, generatePaths(mail))).toEqual([
      'idle: letter.* -> reading',
      'reading: * -> idle',
      'reading: bell.rung -> (stays)',
    ]);
    const paths = generatePaths(mail, { events: [{ type: 'letter' }, { type: 'cat.seen' }] });
    expect(names(paths)).toEqual(['start > bell.rung', 'start > letter > bell.rung', 'start > letter > letter']);
    expect(missedBy(mail, paths)).toEqual([]);
  });

  test('count an edge that forbids: it is taken and stays', () => {
    const paths = generatePaths(mail, { events: [{ type: 'letter.posted' }] });
    expect(paths.flatMap(({ edges }) => edges)).toContain('reading: bell.rung -> (stays)');
  });

  test('differ although JSON writes them alike', () => {
    const machine = setup({ types: { events: {} as { type: 'RUN'; job: () => void } } }).createMachine({
      id: 'runner',
      initial: 'idle',
      states: {
        idle: { on: { RUN: [{ guard: ({ event }) => event.job.name === 'one', target: 'one' }, { target: 'other' }] } },
        one: {},
        other: {},
      },
    });
    const one = () => undefined;
    const two = () => undefined;
    const paths = generatePaths(machine, {
      events: [
        { type: 'RUN', job: one },
        { type: 'RUN', job: two },
      ],
    });
    expect(names(paths)).toEqual(['start > RUN(job: function one)', 'start > RUN(job: function two)']);
  });

  test('have names of their own even where they read alike', () => {
    const machine = setup({ types: { events: {} as { type: 'SEND'; text: string } } }).createMachine({
      id: 'post',
      initial: 'idle',
      states: {
        idle: { on: { SEND: [{ guard: ({ event }) => event.text.endsWith('b'), target: 'b' }, { target: 'a' }] } },
        a: {},
        b: {},
      },
    });
    const long = 'x'.repeat(100);
    const paths = generatePaths(machine, {
      events: [
        { type: 'SEND', text: `${long}a` },
        { type: 'SEND', text: `${long}b` },
      ],
    });
    expect(new Set(names(paths)).size).toBe(2);
    expect(paths[1]?.name).toMatch(/… ?\) #2$/);
  });

  test('are all that can come in every state, if that is asked for, each with the shortest way there', () => {
    const gate = setup({}).createMachine({
      id: 'gate',
      initial: 'shut',
      states: {
        shut: { on: { KNOCK: {}, OPEN: 'open' } },
        open: { on: { SHUT: 'shut', ENTER: 'inside', KNOCK: {} } },
        inside: { type: 'final' },
      },
    });
    expect(names(generatePaths(gate, { covers: 'events' }))).toEqual([
      'start > KNOCK',
      'start > OPEN > KNOCK',
      'start > OPEN > SHUT',
      'start > OPEN > ENTER',
    ]);
  });
});
