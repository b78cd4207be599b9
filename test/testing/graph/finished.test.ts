/** Machines that end: nothing is sent to one that is done, in error or stopped. */
import { describe, expect, test } from 'vitest';
import { fromPromise, setup } from 'xstate';
import { generatePaths } from '../../../src/testing/index.ts';
import { missedBy, names } from './support.ts';

/** Where an event was about to be sent. */
function asking() {
  const asked = new Set<string>();
  const accepts = (_event: unknown, { status, value }: { status: string; value: unknown }) => {
    asked.add(`${status} ${value}`);
    return true;
  };
  return { asked, accepts };
}

describe('a finished machine', () => {
  test('is a leaf: no path goes on from a final state, even where the root hears more', () => {
    const machine = setup({}).createMachine({
      id: 'job',
      initial: 'open',
      on: { 'note.added': {} },
      states: { open: { on: { 'job.ended': 'ended' } }, ended: { type: 'final' } },
    });
    const { asked, accepts } = asking();
    const paths = generatePaths(machine, { accepts });
    expect(names(paths)).toEqual(['start > note.added', 'start > job.ended']);
    expect([...asked]).toEqual(['active open']);
    expect(paths.at(-1)?.state.status).toBe('done');
  });

  test('in error is a leaf: an actor that fails where nobody hears it ends its machine', () => {
    const machine = setup({ actors: { load: fromPromise(async () => 1) } }).createMachine({
      id: 'page',
      initial: 'loading',
      states: {
        loading: {
          invoke: { src: 'load', id: 'load' },
          on: { 'xstate.error.actor.load': { guard: () => false, target: 'failed' }, 'page.closed': 'closed' },
        },
        failed: {},
        closed: {},
      },
    });
    const paths = generatePaths(machine, {
      includesActorsAndTimers: true,
      stateKey: ({ status, value }) => `${status} ${value}`,
    });
    expect(names(paths)).toEqual(['start > page.closed']);
    expect(missedBy(machine, paths)).toEqual(['loading: xstate.error.actor.load [inline] -> failed']);
  });

  test('that was stopped is a leaf', () => {
    const machine = setup({}).createMachine({ id: 'bell', on: { '*': { actions: () => undefined } } });
    const events = [{ type: 'xstate.stop' }, { type: 'bell.rung' }] as const;
    const { asked, accepts } = asking();
    expect(names(generatePaths(machine, { events, accepts }))).toEqual(['start > bell.rung']);
    expect([...asked]).toEqual(['active [object Object]']);
  });

  test('can be said to be done before it is: a path may stop there', () => {
    const machine = setup({}).createMachine({
      id: 'road',
      initial: 'a',
      states: { a: { on: { GO: 'b' } }, b: { on: { GO: 'c' } }, c: {} },
    });
    const paths = generatePaths(machine, { isDone: ({ value }) => value === 'b' });
    expect(names(paths)).toEqual(['start > GO']);
    expect(missedBy(machine, paths)).toEqual(['b: GO -> c']);
  });

  test('that is finished at the start has one path, of no steps', () => {
    const machine = setup({}).createMachine({ id: 'over', initial: 'over', states: { over: { type: 'final' } } });
    const [path, ...others] = generatePaths(machine);
    expect(others).toEqual([]);
    expect(path).toMatchObject({ name: 'start', steps: [], edges: [], entered: ['over'] });
  });
});
