/** Machines that throw or break the rules of XState: the error says where, and what threw. */
import { describe, expect, test } from 'vitest';
import { and, assign, enqueueActions, setup } from 'xstate';
import { generatePaths, pathSuite } from '../../../src/testing/index.ts';
import { errorOf } from './support.ts';

const broken = (): never => {
  throw new RangeError('no such thing');
};

function machineWith(part: 'action' | 'entry' | 'guard' | 'composite' | 'always' | 'nested' | 'asking' | 'named' | 'inline') {
  return setup({
    guards: { isBroken: broken, isFine: () => true, isBoth: and(['isFine' as never, 'isBroken' as never]) },
    actions: {
      breakDown: assign(broken),
      wrap: enqueueActions(({ enqueue }) => enqueue({ type: 'breakDown' } as never)),
      ask: enqueueActions(({ check }) => check({ type: 'isBroken' } as never)),
    },
  }).createMachine({
    id: 'm',
    initial: 'a',
    states: {
      a: { on: { GO: 'b' } },
      b: {
        on: {
          ...(part === 'action' && { BREAK: { actions: 'breakDown' } }),
          ...(part === 'nested' && { BREAK: { actions: 'wrap' } }),
          ...(part === 'asking' && { BREAK: { actions: 'ask' } }),
          ...(part === 'named' && { BREAK: { guard: 'isBoth', target: 'a' } }),
          ...(part === 'inline' && { BREAK: { actions: assign(broken) } }),
          ...(part === 'guard' && { BREAK: { guard: 'isBroken', target: 'a' } }),
          ...(part === 'composite' && { BREAK: { guard: and(['isFine', 'isBroken']), target: 'a' } }),
          ...(part === 'entry' && { BREAK: 'c' }),
          ...(part === 'always' && { BREAK: 'd' }),
        },
      },
      c: { entry: 'breakDown' },
      d: { always: { guard: 'isBroken', target: 'a' } },
    },
  });
}

describe('a machine that throws', () => {
  test.each([
    ['action', 'action "breakDown"'],
    ['entry', 'action "breakDown"'],
    ['nested', 'action "breakDown"'],
    ['asking', 'guard "isBroken"'],
    ['guard', 'guard "isBroken"'],
    ['named', 'guard "isBroken"'],
    ['composite', 'guard "isBroken"'],
    ['always', 'guard "isBroken"'],
    ['inline', 'something written inline'],
  ] as const)('in a part of kind %s is named with the event, the state, the path and %s', (part, culprit) => {
    const error = errorOf(() => generatePaths(machineWith(part)));
    expect(error.code).toBe('INVALID_ARGUMENT');
    expect(error.message).toContain(`m throws on BREAK in state "b" (start > GO > BREAK), from ${culprit}: `);
    expect(error.message).toContain('no such thing');
    expect(error.cause).toBeInstanceOf(Error);
  });

  test('before its first state is named too: a context that needs the input that is missing', () => {
    const machine = setup({ types: { input: {} as { name: string } } }).createMachine({
      id: 'needy',
      context: ({ input }) => ({ name: input.name.trim() }),
    });
    expect(errorOf(() => generatePaths(machine)).message).toMatch(
      /^needy cannot start with the given input, from something written inline: Cannot read/,
    );
    expect(generatePaths(machine, { input: { name: 'a' } })).toHaveLength(1);
  });

  test('at its start, in a named action, is named with it', () => {
    const machine = setup({ actions: { breakDown: assign(broken) } }).createMachine({ id: 'early', entry: 'breakDown' });
    expect(errorOf(() => generatePaths(machine)).message).toMatch(/from action "breakDown": no such thing/);
  });
});

describe('a machine that changes its context in place', () => {
  test('is refused: the states of a walk share what they did not replace', () => {
    const machine = setup({ types: { context: {} as { list: string[] } } }).createMachine({
      id: 'sloppy',
      context: () => ({ list: [] }),
      initial: 'a',
      states: {
        a: {
          on: {
            ADD: {
              guard: ({ context }) => context.list.length < 1,
              target: 'b',
              actions: assign(({ context }) => {
                context.list.push('x');
                return {};
              }),
            },
          },
        },
        b: {},
      },
    });
    const error = errorOf(() => generatePaths(machine));
    expect(error.code).toBe('INVALID_ARGUMENT');
    expect(error.message).toMatch(/sloppy changes the context in place: state "a" after start is no longer what it was/);
    expect(errorOf(() => pathSuite(machine, { test: { events: {} } })).message).toBe(error.message);
  });
});
