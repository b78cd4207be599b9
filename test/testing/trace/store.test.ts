/** A database is found through its own lists, and its accounts are held against its logs (S10.1). */
import { AssertionError } from 'node:assert/strict';
import { describe, expect, test } from 'vitest';
import { nextTurn } from '../../../src/ports/event-loop.ts';
import { type SessionId, toSessionId } from '../../../src/sessions/ids.ts';
import type { SessionStore } from '../../../src/sessions/store.ts';
import { memoryStore } from '../../../src/sessions/stores/memory.ts';
import { assertTrace, checkTrace, describeProblem } from '../../../src/testing/trace/check.ts';
import type { TraceRuleName } from '../../../src/testing/trace/rules.ts';
import { header, inserted } from '../../sessions/samples.ts';
import { RandomProgram } from '../../simulation/random-program.ts';
import { recordTree } from './recorded-tree.ts';

const recorded = recordTree();

/** The store with some of its answers replaced. */
async function lying(lies: (store: SessionStore) => Partial<SessionStore>): Promise<SessionStore> {
  const { store } = await recorded;
  const names = ['head', 'read', 'children', 'pending', 'roots'] as const;
  const honest = Object.fromEntries(names.map((name) => [name, (store[name] as (id: SessionId) => unknown).bind(store)]));
  return { ...honest, ...lies(store) } as SessionStore;
}

async function brokenIn(store: SessionStore): Promise<TraceRuleName[]> {
  const { problems } = await checkTrace(store, { expects: 'settled' });
  return [...new Set(problems.map(({ rule }) => rule))];
}

test('every session is found that is a top-level one, or is listed by one that is found', async () => {
  const { store, byLabel } = await recorded;
  const sessions = Object.values(byLabel);
  const events = sessions.reduce((sum, one) => sum + one.events.length, 0);
  expect(await checkTrace(store, { expects: 'settled' })).toEqual({ problems: [], sessions: sessions.length, events });
});

describe('a store is reported', () => {
  test('that counts other events than there are', async () => {
    const store = await lying((inner) => ({
      async head(id) {
        const head = await inner.head(id);
        return head && { ...head, seq: head.seq + 1 };
      },
    }));
    expect(await brokenIn(store)).toEqual(['store-index']);
  });

  test('that is at an older epoch than a log of it', async () => {
    const store = await lying((inner) => ({
      async head(id) {
        const head = await inner.head(id);
        return head && { ...head, epoch: 0 };
      },
    }));
    expect(await brokenIn(store)).toEqual(['store-index']);
  });

  test('that lists other children than the log', async () => {
    const store = await lying((inner) => ({
      async children(id) {
        const children = await inner.children(id);
        return [...children, ...children.slice(0, 1)];
      },
    }));
    expect(await brokenIn(store)).toEqual(['store-index']);
  });

  test('that lists a child as a top-level session', async () => {
    const store = await lying((inner) => ({
      async roots() {
        const child = await inner.head(toSessionId('worker'));
        return [...(await inner.roots()), ...(child === undefined ? [] : [child])];
      },
    }));
    expect(await brokenIn(store)).toEqual(['store-index']);
  });

  test.each([
    ['a message that waits', { unclaimed: 1, hasOpenTurn: false, hasUndeliveredNotice: false }],
    ['an open turn', { unclaimed: 0, hasOpenTurn: true, hasUndeliveredNotice: false }],
    ['an end that is not told', { unclaimed: 0, hasOpenTurn: false, hasUndeliveredNotice: true }],
  ])('that speaks of %s where there is none', async (_, pending) => {
    const { byLabel } = await recorded;
    const owing = byLabel.worker?.header;
    if (owing === undefined) throw new Error('there is no worker');
    const store = await lying(() => ({ pending: async () => [{ header: owing, pending }] }));
    expect(await brokenIn(store)).toEqual(['store-pending']);
  });

  test('that does not say what a session owes which nobody holds', async () => {
    const store = memoryStore();
    const { epoch } = await store.create(header('owing'), 'somebody', [inserted('m1')]);
    await store.handBack(toSessionId('owing'), epoch);
    expect((await checkTrace(store)).problems).toEqual([]);
    store.pending = async () => [];
    expect((await checkTrace(store)).problems.map(({ rule }) => rule)).toEqual(['store-pending']);
  });
});

test('a session that nobody lists and that owes nothing is found by its id, and unknown ids are left out', async () => {
  const store = memoryStore();
  const unlisted = header('unlisted', { parentSession: toSessionId('above'), delegationDepth: 1, origin: 'subagent' });
  await store.create(header('above'), 'somebody', []);
  await store.create(unlisted, 'somebody', []);
  expect(await checkTrace(store)).toMatchObject({ sessions: 1 });
  expect(await checkTrace(store, { ids: ['unlisted', 'nobody', '../etc'] })).toMatchObject({ sessions: 2, problems: [] });
  const { problems } = await checkTrace(store, { ids: ['unlisted'], expects: 'settled' });
  expect(problems.map(({ rule }) => rule)).toEqual(['settled-catalog']);
});

test('a store that cannot be read is no trace: its own error is told', async () => {
  const store = memoryStore();
  await store.close();
  await expect(checkTrace(store)).rejects.toMatchObject({ code: 'STORE_CLOSED' });
});

test('an assertion names every problem in a line of its own, with rule, session and event', async () => {
  const sessions = [{ header: header('one', { version: 2 as never }), events: [{ seq: 4, ...inserted('m1') }] }] as never;
  const { problems } = await checkTrace(sessions);
  expect(problems.map(describeProblem)).toEqual([
    'sequence: one, event 0: the event at place 0 has the number 4',
    'header: one: its version is 2',
  ]);
  await expect(assertTrace(sessions)).rejects.toThrow(AssertionError);
  await expect(assertTrace(sessions)).rejects.toThrow(
    `2 problems in 1 sessions with 1 events:\n${problems.map(describeProblem).join('\n')}`,
  );
  expect(await assertTrace([])).toEqual({ problems: [], sessions: 0, events: 0 });
});

test('a store can be checked while agents live on it, at any moment of 8 random lives', async () => {
  let checks = 0;
  for (let seed = 1; seed <= 8; seed++) {
    const program = new RandomProgram(seed);
    let isOver = false;
    const running = program.run().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const { problems } = await checkTrace(program.world.store.inner);
      expect(problems.map(describeProblem), `life ${seed}`).toEqual([]);
      checks++;
      await nextTurn();
    }
    await running;
  }
  expect(checks).toBeGreaterThan(80);
}, 60_000);
