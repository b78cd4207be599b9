/** Counting edges: of generated paths, of lists of events, and of real actors. */
import { describe, expect, test } from 'vitest';
import { assign, createActor, fromPromise, sendTo, setup } from 'xstate';
import { coverage, generatePaths, recordEdges } from '../../../src/testing/index.ts';
import { errorOf } from './support.ts';

const makeDoor = (ring: () => void) =>
  setup({
    types: { context: {} as { rings: number; max: number }, input: {} as { max: number } | undefined },
    actions: { ring },
    guards: { isQuiet: ({ context }) => context.rings < context.max },
  }).createMachine({
    id: 'door',
    context: ({ input }) => ({ rings: 0, max: input?.max ?? 1 }),
    initial: 'shut',
    states: {
      shut: {
        on: {
          'bell.rung': { guard: 'isQuiet', actions: ['ring', assign({ rings: ({ context }) => context.rings + 1 })] },
          'door.opened': 'open',
        },
      },
      open: { always: 'empty' },
      empty: { on: { 'door.shut': 'gone' } },
      gone: { type: 'final' },
    },
  });
const door = makeDoor(() => undefined);

const ring = 'shut: bell.rung [isQuiet] / ring, assign -> (stays)';
const open = 'shut: door.opened -> open';
const pass = 'open: always -> empty';
const shut = 'empty: door.shut -> gone';

describe('coverage', () => {
  test('of nothing is nothing, but all edges and states are listed', () => {
    expect(coverage(door, [])).toEqual({
      machine: 'door',
      edges: [ring, open, pass, shut].map((name) => ({ name, isCovered: false })),
      states: ['shut', 'open', 'empty', 'gone'].map((name) => ({ name, isCovered: false })),
      taken: [],
      missed: [ring, open, pass, shut],
      ratio: 0,
    });
  });

  test('of generated paths is whole where all can be reached', () => {
    const { ratio, missed, states } = coverage(door, generatePaths(door));
    expect({ ratio, missed }).toEqual({ ratio: 1, missed: [] });
    expect(states.every(({ isCovered }) => isCovered)).toBe(true);
  });

  test('of lists of events is what they take from the start, up to the end of the machine', () => {
    const { taken, states } = coverage(door, [[{ type: 'door.opened' }], [{ type: 'bell.rung' }, { type: 'nobody.hears' }]]);
    expect(taken).toEqual([ring, open, pass]);
    expect(states.filter(({ isCovered }) => isCovered).map(({ name }) => name)).toEqual(['shut', 'open', 'empty']);
    expect(coverage(door, [[{ type: 'door.opened' }, { type: 'door.shut' }, { type: 'bell.rung' }]]).taken).toEqual([
      open,
      pass,
      shut,
    ]);
  });

  test('of a list of events ends where the machine ends', () => {
    const job = setup({}).createMachine({
      id: 'job',
      on: { 'note.added': {} },
      initial: 'open',
      states: { open: { on: { 'job.ended': 'ended' } }, ended: { type: 'final' } },
    });
    expect(coverage(job, [[{ type: 'job.ended' }, { type: 'note.added' }]]).missed).toEqual(['job: note.added -> (stays)']);
  });

  test('of lists of events depends on the input', () => {
    expect(coverage(door, [[{ type: 'bell.rung' }]], { input: { max: 0 } }).taken).toEqual([]);
  });

  test('of a machine without edges is whole', () => {
    expect(coverage(setup({}).createMachine({ id: 'stone' }), [[]]).ratio).toBe(1);
  });

  test('adds up kinds of runs, also what a file kept of one', () => {
    const kept = JSON.parse(JSON.stringify({ edges: [shut], entered: ['gone'] }));
    const { ratio } = coverage(door, [[{ type: 'bell.rung' }], [{ type: 'door.opened' }], kept]);
    expect(ratio).toBe(1);
  });

  test('refuses names that the machine does not have: they are of another version', () => {
    expect(errorOf(() => coverage(door, [{ edges: ['shut: painted -> red'] }])).message).toBe(
      'door has no edge "shut: painted -> red"',
    );
    expect(errorOf(() => coverage(door, [{ edges: [], entered: ['red'] }])).code).toBe('INVALID_ARGUMENT');
  });
});

describe('a recorder', () => {
  test('counts what a real actor takes, its actions executed, from its start on', () => {
    const rings: string[] = [];
    const recorder = recordEdges(door);
    const real = makeDoor(() => rings.push('ring'));
    const actor = createActor(real, { inspect: recorder.inspect }).start();
    expect(recorder.entered).toEqual(['shut']);
    actor.send({ type: 'bell.rung' });
    actor.send({ type: 'door.opened' });
    expect(rings).toEqual(['ring']);
    expect(recorder.edges).toEqual([ring, open, pass]);
    expect(recorder.entered).toEqual(['shut', 'open', 'empty']);
    expect(coverage(door, [recorder]).missed).toEqual([shut]);
  });

  test('adds up any number of actors, with implementations of their own', () => {
    const recorder = recordEdges(door);
    const { inspect } = recorder;
    createActor(door.provide({ guards: { isQuiet: () => true } }), { inspect })
      .start()
      .send({ type: 'bell.rung' });
    createActor(door, { inspect }).start().send({ type: 'door.opened' });
    expect(recorder.edges).toEqual([ring, open, pass]);
  });

  test('counts the machine where it runs as a child, and nothing of its parent', async () => {
    const house = setup({ actors: { door, wait: fromPromise(async () => 1) } }).createMachine({
      id: 'house',
      invoke: { src: 'door', id: 'door' },
      initial: 'on',
      states: { on: { on: { 'door.opened': { target: 'off', actions: sendTo('door', { type: 'door.opened' }) } } }, off: {} },
    });
    const ofDoor = recordEdges(door);
    const ofHouse = recordEdges(house);
    const inspect: typeof ofDoor.inspect = (inspected) => {
      ofDoor.inspect(inspected);
      ofHouse.inspect(inspected);
    };
    createActor(house, { inspect }).start().send({ type: 'door.opened' });
    expect(ofDoor.edges).toEqual([open, pass]);
    expect(ofHouse.edges).toEqual(['on: door.opened / xstate.sendTo -> off'.replace('xstate.', '')]);
  });

  test('leaves out another machine of the same name', () => {
    const recorder = recordEdges(door);
    const other = setup({}).createMachine({ id: 'door', on: { 'door.opened': {} } });
    createActor(other, { inspect: recorder.inspect }).start().send({ type: 'door.opened' });
    expect(recorder.edges).toEqual([]);
  });

  test('counts on after a restart from a persisted snapshot', () => {
    const snapshot = createActor(door).start().getPersistedSnapshot();
    const recorder = recordEdges(door);
    createActor(door, { snapshot, inspect: recorder.inspect }).start().send({ type: 'bell.rung' });
    expect(recorder.edges).toEqual([ring]);
  });
});
