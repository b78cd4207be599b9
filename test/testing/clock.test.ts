import { expect, test } from 'vitest';
import { manualClock } from '../../src/testing/clock.ts';

test('timers run in the order of their due times, at their due times, and those that they arm are not jumped over', () => {
  const clock = manualClock(1_000);
  const seen: string[] = [];
  const note = (name: string) => () => void seen.push(`${name} at ${clock.now()}`);
  clock.schedule(30, note('c'));
  clock.schedule(10, () => {
    note('a')();
    clock.schedule(5, note('b'));
  });
  clock.schedule(30, note('d'));
  const cancel = clock.schedule(20, note('never'));
  cancel();
  clock.advance(29);
  expect([seen, clock.now(), clock.nextDue()]).toEqual([['a at 1010', 'b at 1015'], 1_029, 1_030]);
  clock.advance(1);
  expect(seen.slice(2)).toEqual(['c at 1030', 'd at 1030']);
  expect(clock.pendingTimers).toBe(0);
});

test('time can let promises come to rest between two steps', async () => {
  const clock = manualClock();
  let rounds = 0;
  const round = () => {
    rounds++;
    void Promise.resolve().then(() => clock.schedule(10, round));
  };
  clock.schedule(10, round);
  await clock.advanceAndSettle(100);
  expect(rounds).toBe(10);
});
