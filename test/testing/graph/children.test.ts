/** Machines with children: spawned ones, named and unnamed, machines inside machines, and children walked alone. */
import { describe, expect, test } from 'vitest';
import { assign, createMachine, fromCallback, fromPromise, sendParent, setup, spawnChild } from 'xstate';
import { generatePaths } from '../../../src/testing/index.ts';
import { errorOf, missedBy, names } from './support.ts';

const actors = { load: fromPromise(async () => 1), watch: fromCallback(() => undefined) };

describe('a path through a machine with children', () => {
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

  test('hears nothing from an actor whose id XState makes up: no two runs would agree on it', () => {
    const spawning = (id: string | undefined) =>
      setup({ actors }).createMachine({
        id: 'nursery',
        initial: 'alone',
        on: { 'xstate.done.actor.*': '.left' },
        states: {
          alone: {
            on: {
              ADOPT: {
                target: 'together',
                actions: assign(({ spawn }) => ({ ref: spawn('load', id === undefined ? {} : { id }) })),
              },
            },
          },
          together: {},
          left: {},
        },
      });
    const ending = (id: string | undefined) => names(generatePaths(spawning(id), { includesActorsAndTimers: true }));
    expect(ending('kid')).toEqual(['start > ADOPT > xstate.done.actor.kid']);
    expect(ending(undefined)).toEqual(['start > ADOPT']);
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

  test('counts nothing of a machine that it starts', () => {
    const inner = createMachine({ id: 'inner', initial: 'first', states: { first: { always: 'second' }, second: {} } });
    const machine = setup({ actors: { inner } }).createMachine({
      id: 'outer',
      initial: 'idle',
      states: { idle: { on: { GO: 'busy' } }, busy: { invoke: { src: 'inner', id: 'inner' } } },
    });
    const [path] = generatePaths(machine);
    expect(path?.edges).toEqual(['idle: GO -> busy']);
    expect(path?.entered).toEqual(['idle', 'busy']);
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
