/** Actors and timers: a path starts none and arms none, and sends what they would send if that is asked for. */
import { describe, expect, test } from 'vitest';
import { assign, createMachine, fromCallback, fromPromise, setup } from 'xstate';
import { generatePaths } from '../../../src/testing/index.ts';
import { missedBy, names } from './support.ts';

let started: string[] = [];
const actors = {
  load: fromPromise(async () => started.push('load')),
  watch: fromCallback(() => {
    started.push('watch');
  }),
};

const page = setup({ actors, types: { context: {} as { tries: number } } }).createMachine({
  id: 'page',
  context: { tries: 0 },
  initial: 'loading',
  states: {
    loading: {
      entry: [() => started.push('entry'), assign({ tries: ({ context }) => Math.min(2, context.tries + 1) })],
      invoke: {
        src: 'load',
        id: 'load',
        systemId: 'loader',
        onDone: [{ guard: ({ event }) => Number(event.output) > 1, target: 'full' }, { target: 'empty' }],
        onError: 'failed',
      },
      on: { 'page.closed': 'closed' },
      after: { 500: 'slow' },
    },
    slow: { on: { 'page.closed': 'closed' } },
    empty: {},
    full: {},
    failed: { on: { 'page.reloaded': 'loading' } },
    closed: {},
  },
});

describe('a path without actors and timers', () => {
  test('executes no action, starts no actor and arms no timer', () => {
    started = [];
    generatePaths(page, { includesActorsAndTimers: true });
    expect(started).toEqual([]);
  });

  test('misses what only they can bring about', () => {
    expect(missedBy(page, generatePaths(page))).toEqual([
      'loading: xstate.done.actor.load [inline] -> full',
      'loading: xstate.done.actor.load -> empty',
      'loading: xstate.error.actor.load -> failed',
      'loading: xstate.after.500.page.loading -> slow',
      'slow: page.closed -> closed',
      'failed: page.reloaded -> loading',
    ]);
  });

  test('takes their events where they are given, like any other', () => {
    const paths = generatePaths(page, { events: [{ type: 'xstate.done.actor.load', output: 2 }] });
    expect(names(paths)).toEqual(['start > page.closed', 'start > xstate.done.actor.load(output: 2)']);
  });
});

describe('a path with actors and timers', () => {
  test('has them end, fail and fire, with the payload that is given, into the same state as often as needed', () => {
    const events = [
      { type: 'xstate.done.actor.load', output: 2 },
      { type: 'xstate.done.actor.load', output: 0 },
    ] as const;
    const paths = generatePaths(page, { includesActorsAndTimers: true, events });
    expect(missedBy(page, paths)).toEqual([]);
    expect(names(paths)).toEqual([
      'start > page.closed',
      'start > xstate.done.actor.load(output: 2)',
      'start > xstate.done.actor.load(output: 0)',
      'start > xstate.error.actor.load(error: Error("load failed")) > page.reloaded',
      'start > xstate.after.500.page.loading > page.closed',
    ]);
  });

  test('has a timer fire once for each time that it is armed', () => {
    const fired: (machine: ReturnType<typeof ticking>) => string[] = (machine) =>
      names(generatePaths(machine, { includesActorsAndTimers: true }));
    expect(fired(ticking(false))).toEqual(['start > xstate.after.10.tick.on']);
    expect(fired(ticking(true))).toEqual(['start > xstate.after.10.tick.on > xstate.after.10.tick.on']);
  });

  test('has no timer left from a state that was left before it fired', () => {
    const machine = createMachine({
      id: 'lamp',
      initial: 'on',
      states: { on: { on: { OFF: 'off' }, after: { 10: 'off' } }, off: { on: { ON: 'on' } } },
    });
    expect(missedBy(machine, generatePaths(machine, { includesActorsAndTimers: true, statesMax: 2 }))).toEqual([]);
  });

  test('has an actor end once, and lets one that was invoked again end again', () => {
    const machine = setup({ actors, types: { context: {} as { ends: number } } }).createMachine({
      id: 'twice',
      context: { ends: 0 },
      initial: 'on',
      states: {
        on: {
          invoke: {
            src: 'load',
            id: 'load',
            onDone: [
              { guard: ({ context }) => context.ends > 0, target: 'over' },
              { actions: assign({ ends: ({ context }) => context.ends + 1 }) },
            ],
          },
          on: { AGAIN: { target: 'on', reenter: true } },
        },
        over: {},
      },
    });
    const paths = generatePaths(machine, { includesActorsAndTimers: true });
    expect(names(paths)).toEqual(['start > xstate.done.actor.load > AGAIN > xstate.done.actor.load']);
  });

  test('takes a given end of an actor that the machine starts as its payload, and any other as an event of its own', () => {
    const machine = setup({ actors }).createMachine({
      id: 'host',
      on: { 'xstate.done.actor.load': {}, 'xstate.done.actor.stranger': {} },
      initial: 'idle',
      states: { idle: { on: { GO: 'busy' } }, busy: { invoke: { src: 'load', id: 'load' } } },
    });
    const events = [{ type: 'xstate.done.actor.load', output: 7 }, { type: 'xstate.done.actor.stranger' }] as const;
    expect(names(generatePaths(machine, { events, includesActorsAndTimers: true }))).toEqual([
      'start > xstate.done.actor.stranger',
      'start > GO > xstate.done.actor.load(output: 7)',
    ]);
  });
});

/** Whether the second firing is possible is the question: it needs the timer armed again. */
function ticking(reenter: boolean) {
  return setup({ types: { context: {} as { ticks: number } } }).createMachine({
    id: 'tick',
    context: { ticks: 0 },
    initial: 'on',
    states: {
      on: {
        after: {
          10: [
            { guard: ({ context }) => context.ticks > 0, target: 'off' },
            { ...(reenter ? { target: 'on', reenter } : {}), actions: assign({ ticks: ({ context }) => context.ticks + 1 }) },
          ],
        },
      },
      off: {},
    },
  });
}
