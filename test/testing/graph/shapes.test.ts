/** What charts are made of, each with its trap, and each compared with a real actor on the same path. */
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, createMachine, raise, setup, stateIn } from 'xstate';
import { generatePaths } from '../../../src/testing/index.ts';
import { compared, errorOf, missedBy, names } from './support.ts';

/** Walks the paths with real actors too; returns the names. */
function walked(machine: AnyStateMachine, missed: readonly string[] = []): string[] {
  const paths = generatePaths(machine);
  for (const path of paths) {
    const { claimed, real } = compared(machine, path);
    expect(claimed, path.name).toEqual(real);
  }
  expect(missedBy(machine, paths)).toEqual(missed);
  return names(paths);
}

describe('a path', () => {
  test('goes through a chain of always, and counts each link and the states between', () => {
    const machine = setup({}).createMachine({
      id: 'chain',
      initial: 'a',
      states: { a: { on: { GO: 'b' } }, b: { always: 'c' }, c: { always: [{ guard: () => false, target: 'a' }, 'd'] }, d: {} },
    });
    expect(walked(machine, ['c: always [inline] -> a'])).toEqual(['start > GO']);
    expect(generatePaths(machine)[0]?.entered).toEqual(['a', 'b', 'c', 'd']);
  });

  test('counts the edges that are taken before the first event', () => {
    const machine = setup({}).createMachine({ id: 'early', initial: 'a', states: { a: { always: 'b' }, b: {} } });
    expect(walked(machine)).toEqual(['start']);
    expect(generatePaths(machine)[0]?.entered).toEqual(['a', 'b']);
  });

  test('takes the raised and the done edges that follow from an event', () => {
    const machine = setup({}).createMachine({
      id: 'raising',
      initial: 'a',
      states: {
        a: { on: { GO: { target: 'b', actions: raise({ type: 'NEXT' }) } } },
        b: { on: { NEXT: 'c' } },
        c: { initial: 'in', states: { in: { on: { END: 'out' } }, out: { type: 'final' } }, onDone: 'd' },
        d: {},
      },
    });
    expect(walked(machine)).toEqual(['start > GO > END']);
  });

  test('goes back to where history leads, and tells apart what only history remembers', () => {
    const machine = setup({ types: { context: {} as { wasPaused: boolean } } }).createMachine({
      id: 'form',
      context: { wasPaused: false },
      initial: 'page',
      states: {
        page: {
          initial: 'one',
          states: {
            one: { on: { NEXT: { guard: ({ context }) => !context.wasPaused, target: 'two' } } },
            two: { on: { SUBMIT: { guard: ({ context }) => context.wasPaused, target: '#sent' } } },
            last: { type: 'history' },
          },
          on: { PAUSE: 'paused' },
        },
        paused: { on: { RESUME: { target: 'page.last', actions: assign({ wasPaused: true }) } } },
        sent: { id: 'sent', type: 'final' },
      },
    });
    expect(walked(machine)).toEqual(['start > NEXT > PAUSE > RESUME > SUBMIT']);
  });

  test('reaches an edge that needs one region of a parallel state where another has come to', () => {
    const machine = createMachine({
      id: 'lift',
      type: 'parallel',
      states: {
        door: { initial: 'open', states: { open: { on: { SHUT: 'shut' } }, shut: { on: { OPEN: 'open' } } } },
        cab: {
          initial: 'still',
          states: {
            still: { on: { CALL: { guard: stateIn({ door: 'shut' }), target: 'moving' } } },
            moving: { on: { OPEN: 'still', CALL: { target: '#lift', reenter: true } } },
          },
        },
      },
    });
    expect(walked(machine)).toEqual(['start > SHUT > CALL > OPEN', 'start > SHUT > CALL > CALL']);
    expect(generatePaths(machine, { statesMax: 3 })).toHaveLength(2);
  });

  test('finds a state of a parallel machine once, whichever region moved first', () => {
    const region = (event: string) => ({
      initial: 'off',
      states: { off: { on: { [event]: 'on' } }, on: { on: { [event]: 'off' } } },
    });
    const machine = createMachine({ id: 'lamps', type: 'parallel', states: { left: region('LEFT'), right: region('RIGHT') } });
    expect(generatePaths(machine, { statesMax: 4 })).toHaveLength(2);
  });

  test('takes self transitions, with and without entering again', () => {
    const machine = setup({ types: { context: {} as { entries: number } } }).createMachine({
      id: 'self',
      context: { entries: 0 },
      initial: 'a',
      states: {
        a: {
          entry: assign({ entries: ({ context }) => Math.min(2, context.entries + 1) }),
          on: { STAY: { actions: () => undefined }, AGAIN: { target: 'a', reenter: true }, SAME: 'a' },
        },
      },
    });
    expect(walked(machine)).toEqual(['start > STAY', 'start > AGAIN', 'start > SAME']);
  });

  test('is not looked for without end where a guard never passes: the edge is missed', () => {
    const machine = setup({ guards: { isNever: () => false } }).createMachine({
      id: 'locked',
      initial: 'a',
      states: { a: { on: { OPEN: { guard: 'isNever', target: 'b' } } }, b: { on: { SHUT: 'a' } } },
    });
    expect(walked(machine, ['a: OPEN [isNever] -> b', 'b: SHUT -> a'])).toEqual(['start']);
  });

  test('ends with an error, not never, where always has no end', () => {
    const machine = setup({}).createMachine({
      id: 'spin',
      initial: 'a',
      states: { a: { on: { GO: 'b' } }, b: { always: 'c' }, c: { always: 'b' } },
    });
    const error = errorOf(() => generatePaths(machine));
    expect(error.code).toBe('INVALID_ARGUMENT');
    expect(error.message).toMatch(/^spin throws on GO in state "a" \(start > GO\).*more than 10000 steps follow from one event/);
  });
});
