import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { iterate } from '../../src/registry/iterate.ts';
import { openWorld } from '../support/world.ts';

test('the iterable twin gives what the observable gives, in order, and ends when the runtime closes (S5.5)', async () => {
  const world = openWorld();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const event of world.runtime.events()) seen.push(event.type);
  })();
  const root = await world.openRoot();
  await (await world.start(root.agent)).result;
  await world.close();
  await reading;
  expect(seen).toEqual(world.events.all.map(({ type }) => type).filter((type) => type !== 'subagent/provider-added'));
  expect(seen.filter((type) => type === 'subagent/end')).toHaveLength(1);
});

test('a loop that throws leaves the events, hears its own error and hurts nobody (S5.5, P31)', async () => {
  const world = openWorld();
  const loop = (async () => {
    for await (const event of world.runtime.events()) throw new Error(`stumbled over ${event.type}`);
  })();
  const root = await world.openRoot();
  const child = await world.start(root.agent);
  await expect(loop).rejects.toThrow('stumbled over');
  expect((await child.result).stopReason).toBe('completed');
});

test('leaving the loop unsubscribes', async () => {
  const source = new Subject<number>();
  const loop = (async () => {
    for await (const value of iterate(source)) if (value === 2) return value;
    return 'ended';
  })();
  source.next(1);
  source.next(2);
  expect(await loop).toBe(2);
  expect(source.observed).toBe(false);
});

test('return ends a read that still waits', async () => {
  const source = new Subject<number>();
  const iterator = iterate(source);
  const waiting = iterator.next();
  expect(await iterator.return()).toEqual({ done: true, value: undefined });
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(source.observed).toBe(false);
});

test('reads that are asked for together are answered in order', async () => {
  const source = new Subject<number>();
  const iterator = iterate(source);
  const reads = Promise.all([iterator.next(), iterator.next(), iterator.next()]);
  for (const value of [1, 2]) source.next(value);
  source.complete();
  expect((await reads).map(({ value }) => value)).toEqual([1, 2, undefined]);
});

test('what came before the end is still read after it', async () => {
  const source = new Subject<number>();
  const iterator = iterate(source);
  const first = iterator.next();
  for (const value of [1, 2, 3]) source.next(value);
  source.complete();
  expect(await first).toEqual({ done: false, value: 1 });
  const rest: number[] = [];
  for await (const value of iterator) rest.push(value);
  expect(rest).toEqual([2, 3]);
});

test('a reader that falls 10,000 values behind loses the oldest', async () => {
  const source = new Subject<number>();
  const iterator = iterate(source);
  const first = iterator.next();
  for (let value = 0; value <= 10_001; value++) source.next(value);
  expect((await first).value).toBe(0);
  expect((await iterator.next()).value).toBe(2);
  await iterator.return();
});
