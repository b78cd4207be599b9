/**
 * Random trees: starts, aborts, messages, disposals, interrupts, drains, failing stores and reopened roots in any order, with any
 * number of microtasks between. Whatever happened, the logs, the events and the registry agree at the end. The name of a
 * failed test has its seed; to replay it alone, or to walk more:
 *
 *     TROUPE_SEED=7 npx vitest run test/registry/random-lives.test.ts
 *     TROUPE_SEEDS=5000 npx vitest run test/registry/random-lives.test.ts
 */
import { describe, expect, test } from 'vitest';
import type { SessionEvent } from '../../src/sessions/event.ts';
import { Play, ticks } from './random-play.ts';

const { TROUPE_SEED: only, TROUPE_SEEDS: many } = process.env;
const seeds = only === undefined ? Array.from({ length: Number(many ?? 300) }, (_, index) => index + 1) : [Number(only)];
const count = <Item>(items: readonly Item[], wanted: Item) => items.filter((item) => item === wanted).length;

function checkLog(events: readonly SessionEvent[], accepted: readonly string[]): void {
  const inserted = events.flatMap((event) => (event.type === 'inbox/inserted' ? [event.data.messageId as string] : []));
  const left = events.flatMap((event) =>
    event.type === 'inbox/claimed' || event.type === 'inbox/discarded' ? (event.data.messageIds as readonly string[]) : [],
  );
  expect(new Set(inserted).size, 'no message is inserted twice').toBe(inserted.length);
  expect(new Set(left).size, 'no message leaves twice').toBe(left.length);
  expect(
    left.filter((id) => !inserted.includes(id)),
    'nothing leaves that was not inserted',
  ).toEqual([]);
  for (const id of accepted) expect(count(inserted, id), `accepted message ${id} is in the log once`).toBe(1);
  let open: string | undefined;
  for (const event of events) {
    if (event.type === 'turn/started') {
      expect(open, 'no turn starts in another').toBeUndefined();
      open = event.data.turnId;
    }
    if (event.type === 'turn/ended' && event.data.turnId === open) open = undefined;
  }
}

async function checkEnd({ world, accepted, ids, root }: Play): Promise<void> {
  const runs = new Map<string, string[]>();
  for (const event of world.events.all) {
    if (event.type === 'subagent/start' || event.type === 'subagent/end')
      runs.set(event.runId, [...(runs.get(event.runId) ?? []), event.type]);
  }
  for (const [runId, told] of runs) expect(told, `run ${runId}`).toEqual(['subagent/start', 'subagent/end']);
  for (const id of [...ids, root.id]) {
    const own = accepted.filter(({ to }) => to === id).map((message) => message.id);
    const events = await world.log(id);
    const { header } = (await world.store.inner.head(id as never)) ?? {};
    checkLog(events.slice(header?.inheritedEvents ?? 0), own);
    const parentLog = header?.parentSession === undefined ? [] : await world.log(header.parentSession);
    for (const event of events.slice(header?.inheritedEvents ?? 0)) {
      if (event.type !== 'notice/delivered') continue;
      const told = parentLog.filter((other) => other.type === 'inbox/inserted' && other.data.messageId === event.data.notice);
      expect(told, `the notice ${event.data.notice} is in the parent’s log once`).toHaveLength(1);
    }
  }
}

describe('a random tree', { timeout: 120_000 }, () => {
  test.each(seeds)('leaves logs, events and registry that agree (seed %i)', async (seed) => {
    const play = new Play(seed);
    const { world, random } = play;
    play.root = await world.openRoot();
    for (let acts = 25; acts > 0; acts--) {
      if (!world.isResident(play.root.id)) await play.reopen();
      await play.act();
      await ticks(random);
    }
    await play.settle(world.close());
    await play.settle(Promise.all(play.work));
    await checkEnd(play);
    world.tolerateFaults(
      'driver',
      'turn',
      'seal',
      'flush',
      'notice',
      'undo of a start',
      'resume',
      'hand back',
      'close',
      'dispose',
      'recovery',
      'lease',
    );
  });
});
