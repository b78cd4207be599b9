/** Actors and timers: a path starts none and arms none, and sends what they would send if that is asked for. */
import { describe, expect, test } from 'vitest';
import { assign, createMachine, fromCallback, fromPromise, sendParent, setup, spawnChild } from 'xstate';
import { generatePaths } from '../../../src/testing/index.ts';
import { errorOf, missedBy, names } from './support.ts';

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

  test('hears from a spawned actor from the time on that it is spawned', () => {
    const machine = setup({ actors }).createMachine({
      id: 'host',
      initial: 'alone',
      on: { 'xstate.done.actor.guest': '.left' },
      states: {
        alone: { on: { INVITE: { target: 'together', actions: spawnChild('load', { id: 'guest' }) } } },
        together: {},
        left: {},
      },
    });
    expect(names(generatePaths(machine, { includesActorsAndTimers: true }))).toEqual([
      'start > INVITE > xstate.done.actor.guest',
    ]);
  });

  test('is finite although XState makes up the ids of spawned actors', () => {
    const paths = generatePaths(pool({ replaces: false }), { statesMax: 3 });
    expect(names(paths)).toEqual(['start > GROW']);
  });

  test('is not finite where spawned actors are never stopped, and says so', () => {
    expect(errorOf(() => generatePaths(pool({ replaces: true }), { statesMax: 50 })).message).toMatch(/children took \d+ values/);
    const stateKey = ({ context }: { context: { refs: unknown[] } }) => String(context.refs.length);
    expect(names(generatePaths(pool({ replaces: true }), { stateKey, statesMax: 3 }))).toEqual(['start > GROW > GROW > REPLACE']);
  });

  test('enters a state whose actor has a systemId from two sides', () => {
    const machine = setup({ actors }).createMachine({
      id: 'two',
      initial: 'a',
      states: {
        a: { on: { LEFT: 'b', RIGHT: 'b' } },
        b: { invoke: { src: 'watch', id: 'w', systemId: 'watcher' }, on: { BACK: 'a', AGAIN: { target: 'b', reenter: true } } },
      },
    });
    expect(missedBy(machine, generatePaths(machine))).toEqual([]);
  });

  test('walks a machine that reports to a parent, although it has none here', () => {
    const machine = createMachine({
      id: 'child',
      initial: 'a',
      states: { a: { on: { GO: { target: 'b', actions: sendParent({ type: 'WENT' }) } } }, b: {} },
    });
    expect(names(generatePaths(machine))).toEqual(['start > GO']);
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

function pool({ replaces }: { replaces: boolean }) {
  return setup({ actors, types: { context: {} as { refs: unknown[] } } }).createMachine({
    id: 'pool',
    context: { refs: [] },
    on: {
      GROW: {
        guard: ({ context }) => context.refs.length < 2,
        actions: assign({ refs: ({ context, spawn }) => [...context.refs, spawn('load')] }),
      },
      REPLACE: {
        guard: ({ context }) => replaces && context.refs.length === 2,
        actions: assign({ refs: ({ spawn }) => [spawn('load'), spawn('watch')] }),
      },
    },
  });
}
