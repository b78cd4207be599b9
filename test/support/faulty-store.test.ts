/** That the faulty store fails as it says: other tests rest on it. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/sessions/stores/memory.ts';
import { header, inserted, sessionId } from '../sessions/samples.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';
import { manualClock } from './manual-clock.ts';

const s1 = sessionId('s1');
const s2 = sessionId('s2');

async function openStore(): Promise<FaultyStore> {
  const store = faultyStore(memoryStore());
  await store.create(header('s1'), 'a', []);
  await store.create(header('s2'), 'a', []);
  return store;
}

function append(store: FaultyStore, id: typeof s1, seq: number) {
  return store.append(id, { seq, epoch: 1 }, [inserted(`m${seq}`)]);
}

/** What has become of a promise by now. */
async function stateOf(call: Promise<unknown>): Promise<string> {
  await new Promise((resolve) => setImmediate(resolve));
  const stillOpen = {};
  try {
    return (await Promise.race([call, Promise.resolve(stillOpen)])) === stillOpen ? 'open' : 'resolved';
  } catch {
    return 'rejected';
  }
}

test('the n-th write from now on is rejected with the given error and not done, once', async () => {
  const store = await openStore();
  const error = new Error('planned');
  store.inject({ at: 2, fault: 'reject', error });
  await append(store, s1, 0);
  await store.head(s1); // no write
  await expect(append(store, s1, 1)).rejects.toBe(error);
  expect(await store.inner.read(s1)).toHaveLength(1);
  await append(store, s1, 1);
  expect(store.writes).toBe(5);
});

test('several faults count the same writes', async () => {
  const store = await openStore();
  const faults = [1, 2, 4].map((at) => ({ at, fault: 'reject', error: new Error(`planned ${at}`) }) as const);
  for (const fault of faults) store.inject(fault);
  const seen: string[] = [];
  for (let write = 1; write <= 5; write++) await store.renew('a').catch(() => seen.push(`${write}`));
  expect(seen).toEqual(['1', '2', '4']);
});

test('a fault can wait for a method, a session and an event', async () => {
  const store = await openStore();
  store.inject({
    at: { method: 'append', session: 's2', event: 'inbox/inserted', nth: 2 },
    fault: 'reject',
    error: new Error('planned'),
  });
  await append(store, s1, 0);
  await append(store, s2, 0);
  await store.append(s2, { seq: 1, epoch: 1 }, []);
  await expect(append(store, s2, 1)).rejects.toThrow('planned');
});

test('a hanging call is not done until it is released; later ones of its session wait, others do not', async () => {
  const store = await openStore();
  store.inject({ at: { method: 'append' }, fault: 'hang' });
  const hanging = append(store, s1, 0);
  expect((await store.reached({ method: 'append' })).state).toBe('held');
  const behind = append(store, s1, 1);
  const reading = store.read(s1);
  await append(store, s2, 0);
  expect([await stateOf(hanging), await stateOf(behind), await stateOf(reading)]).toEqual(['open', 'open', 'open']);
  expect(await store.inner.read(s1)).toEqual([]);
  store.release();
  await Promise.all([hanging, behind]);
  expect(await reading).toHaveLength(2);
});

test('a hanging call can be released with an error, and then was not done', async () => {
  const store = await openStore();
  store.inject({ at: 1, fault: 'hang' });
  const hanging = append(store, s1, 0);
  store.release(new Error('gone'));
  await expect(hanging).rejects.toThrow('gone');
  await append(store, s1, 0);
});

test('a slow call is done when its time has passed', async () => {
  const store = await openStore();
  const clock = manualClock();
  store.inject({ at: 1, fault: 'slow', ms: 50, clock });
  const slow = append(store, s1, 0);
  clock.advance(49);
  expect(await stateOf(slow)).toBe('open');
  clock.advance(1);
  await slow;
});

test.each([true, false])('a call of unknown outcome rejects OUTCOME_UNKNOWN; done: %s', async (isDone) => {
  const store = await openStore();
  store.inject({ at: 1, fault: 'unknown', isDone });
  await expect(append(store, s1, 0)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect(await store.read(s1)).toHaveLength(isDone ? 1 : 0);
});

test.each([true, false])('after a crash nothing settles and nothing more is written; the last write done: %s', async (isDone) => {
  const store = await openStore();
  store.inject({ at: { method: 'append', session: 's2' }, fault: 'hang' });
  const hanging = append(store, s2, 0);
  store.inject({ at: 1, fault: 'crash', isDone });
  const calls = [append(store, s1, 0), append(store, s1, 1), store.head(s1), store.close(), hanging];
  store.release();
  for (const call of calls) expect(await stateOf(call)).toBe('open');
  expect(store.isCrashed).toBe(true);
  expect(await store.inner.read(s1)).toHaveLength(isDone ? 1 : 0);
  expect(await store.inner.read(s2)).toEqual([]);
});

test('calls are on record in the order of their issue, with what became of them', async () => {
  const store = await openStore();
  store.forgetCalls();
  await append(store, s1, 0);
  await append(store, s1, 7).catch(() => undefined);
  await store.pending();
  expect(store.calls.map(({ method, session, write, state }) => [method, session, write, state])).toEqual([
    ['append', 's1', 3, 'resolved'],
    ['append', 's1', 4, 'rejected'],
    ['pending', undefined, undefined, 'resolved'],
  ]);
  expect(store.calls[0]?.events).toEqual([inserted('m0')]);
});
