/** The store suite finds what is broken, and says which promise it was. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../../src/sessions/stores/memory.ts';
import { runSuite, testStore } from '../../../src/testing/index.ts';
import { noteFigure } from '../../support/figures.ts';
import { brokenStores, overlaid } from './broken-stores.ts';
import { complaintsOf } from './complaints.ts';

describe('the store suite', () => {
  test('it passes a store with nothing broken, as a store that is opened anew too', async () => {
    const subject = { name: 'sound', open: memoryStore, reopen: (store: ReturnType<typeof memoryStore>) => overlaid(store, {}) };
    expect((await runSuite(testStore(subject))).failed).toEqual([]);
  });

  test.each(brokenStores)('it names the promise that a store breaks which $how', async ({ named, subject }) => {
    const complaints = await complaintsOf(testStore({ name: 'broken', ...subject }));
    expect(complaints).toMatch(named);
    noteFigure('brokenVariants', 1);
  });

  test('a failing history names its seed, how to play it again, and few calls', async () => {
    const forgetful = {
      name: 'forgetful',
      open: (opening: Parameters<typeof memoryStore>[0]) => {
        const inner = memoryStore(opening);
        return overlaid(inner, { children: async (id) => (await inner.children(id)).slice(0, 1) });
      },
    };
    const { failed } = await runSuite(testStore(forgetful));
    const message = String(failed.find(({ name }) => name.includes('random histories'))?.error);
    expect(message).toMatch(/seed (\d+); again: histories: \{ seed: \1, count: 1, calls: 40 \}/);
    const seed = Number(/seed (\d+);/.exec(message)?.[1]);
    const again = testStore({ ...forgetful, histories: { seed, count: 1, calls: 40 } });
    expect(String((await runSuite(again)).failed.at(-1)?.error)).toBe(message);
    expect(Number(/the calls, (\d+) of 40/.exec(message)?.[1])).toBeLessThan(6);
  });
});
