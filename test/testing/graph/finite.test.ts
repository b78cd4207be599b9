/** How far a walk goes: what tells states apart, and what happens if there is no end of them. */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { attachmentMachine } from '../../../src/machines/index.ts';
import { generatePaths } from '../../../src/testing/index.ts';
import { errorOf, missedBy, names } from './support.ts';

const counter = setup({ types: { context: {} as { count: number; stats: { peak: number; mood: string } } } }).createMachine({
  id: 'counter',
  context: { count: 0, stats: { peak: 0, mood: 'calm' } },
  initial: 'on',
  states: {
    on: {
      on: {
        INC: { actions: assign({ count: ({ context }) => context.count + 1 }) },
        FRET: { actions: assign({ stats: ({ context }) => ({ ...context.stats, mood: 'tense' }) }) },
        STOP: { guard: ({ context }) => context.count > 2, target: 'off' },
      },
    },
    off: {},
  },
});

describe('a machine whose context grows without bound', () => {
  test('is refused, and the fields that grow are named, not those that do not', () => {
    const error = errorOf(() => generatePaths(counter, { statesMax: 500 }));
    expect(error.code).toBe('INVALID_ARGUMENT');
    expect(error.message).toMatch(/^counter has more than 500 states/);
    expect(error.message).toMatch(/context\.count took \d+ values: 0, 1, 2, …, \d+/);
    expect(error.message).not.toContain('mood');
  });

  test('is refused by default at 10,000 states', () => {
    expect(errorOf(() => generatePaths(attachmentMachine)).message).toMatch(/more than 10000 states.*context\.children took/s);
  });

  test('is walked with a key that drops the field, or counts it up to where it matters', () => {
    const stateKey = ({ value, context }: { value: unknown; context: { count: number } }) =>
      `${value} ${Math.min(3, context.count)}`;
    const paths = generatePaths(counter, { stateKey });
    expect(names(paths)).toEqual(['start > FRET', 'start > INC > INC > INC > STOP']);
    expect(missedBy(counter, paths)).toEqual([]);
  });

  test('is walked with what is not accepted left out', () => {
    const paths = generatePaths(counter, {
      accepts: ({ type }, { context }) => type !== 'INC' || context.count < 3,
      statesMax: 20,
    });
    expect(missedBy(counter, paths)).toEqual([]);
  });

  test('or whose fields only multiply, is told apart from it', () => {
    const fields = ['a', 'b', 'c'] as const;
    const machine = setup({ types: { context: {} as Record<(typeof fields)[number], number> } }).createMachine({
      id: 'lock',
      context: { a: 0, b: 0, c: 0 },
      on: Object.fromEntries(
        fields.map((field) => [field, { actions: assign(({ context }) => ({ [field]: (context[field] + 1) % 4 })) }]),
      ),
    });
    expect(errorOf(() => generatePaths(machine, { statesMax: 63 })).message).toMatch(
      /No field grows by itself.*context\.a took 4 values: 0, 1, 2, 3/s,
    );
    expect(generatePaths(machine, { statesMax: 64 })).toHaveLength(3);
  });

  test.each([0, -1, 1.5, Number.NaN])('takes no statesMax of %s', (statesMax) => {
    expect(errorOf(() => generatePaths(counter, { statesMax })).code).toBe('INVALID_ARGUMENT');
  });
});

describe('the key of a state', () => {
  test('keeps what JSON drops or throws at: functions, Maps, Sets, class instances, big numbers, cycles', () => {
    class Money {
      readonly cents: number;
      constructor(cents: number) {
        this.cents = cents;
      }
    }
    const loop: { self?: unknown } = {};
    loop.self = loop;
    const one = () => undefined;
    const two = () => undefined;
    const values = [
      ...[undefined, null, 0, -0, Number.NaN, Number.POSITIVE_INFINITY, 1n, 1, '1', one, two],
      ...[new Map([['a', 1]]), new Map([['a', 2]]), new Set([1]), new Set([2]), new Money(1), new Money(2), { cents: 1 }],
      ...[
        loop,
        { self: undefined },
        new Date(1),
        new Date(2),
        /a/,
        /b/,
        new Error('a'),
        new Error('b'),
        new Uint8Array([1]),
        [1],
        [[1]],
      ],
    ];
    const machine = setup({
      types: { context: {} as { value: unknown }, events: {} as { type: 'SET'; value: unknown } },
    }).createMachine({
      id: 'box',
      context: { value: 'nothing' },
      on: { SET: { actions: assign({ value: ({ event }) => event.value }) } },
    });
    const seen = new Set<unknown>();
    generatePaths(machine, {
      events: values.map((value) => ({ type: 'SET', value })),
      accepts: (_event, { context }) => {
        seen.add(Object.is(context.value, -0) ? '-0' : context.value);
        return true;
      },
    });
    expect(seen.size).toBe(values.length + 1);
  });

  test('does not tell objects apart by the order of their keys', () => {
    const machine = setup({ types: { context: {} as { at: unknown } } }).createMachine({
      id: 'map',
      context: { at: 0 },
      on: { GO: { actions: assign({ at: { x: 1, y: 2 } }) }, JUMP: { actions: assign({ at: { y: 2, x: 1 } }) } },
    });
    expect(generatePaths(machine, { statesMax: 2 })).toHaveLength(2);
  });

  test('of the user may be any word, also one that every object has', () => {
    const paths = generatePaths(counter, {
      stateKey: ({ value, context }) => (value === 'off' ? '7' : context.count < 3 ? `${context.count}` : 'constructor'),
    });
    expect(missedBy(counter, paths)).toEqual([]);
  });

  test('is refused for a context that is too large to compare, by the field', () => {
    const machine = setup({}).createMachine({ id: 'log', context: { level: 1, lines: 'x'.repeat(30_000) } });
    const error = errorOf(() => generatePaths(machine));
    expect(error.code).toBe('INVALID_ARGUMENT');
    expect(error.message).toContain('context.lines alone takes');
  });
});
