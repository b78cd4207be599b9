/**
 * Random trees: starts, aborts, messages, disposals, interrupts, drains, failing stores and reopened roots in any order, with any
 * number of microtasks between. Whatever happened, the logs, the events and the registry agree at the end. The name of a
 * failed test has its seed; to replay it alone, or to walk more:
 *
 *     TROUPE_SEED=7 npx vitest run test/registry/random-lives.test.ts
 *     TROUPE_SEEDS=5000 npx vitest run test/registry/random-lives.test.ts
 */
import { describe, expect, test } from 'vitest';
import { noteFigure } from '../support/figures.ts';
import { Play, ticks } from './random-play.ts';

const { TROUPE_SEED: only, TROUPE_SEEDS: many } = process.env;
const seeds = only === undefined ? Array.from({ length: Number(many ?? 300) }, (_, index) => index + 1) : [Number(only)];

/** That the logs obey the contract is for the world to check. */
async function checkEnd({ world, accepted }: Play): Promise<void> {
  const runs = new Map<string, string[]>();
  for (const event of world.events.all) {
    if (event.type === 'subagent/start' || event.type === 'subagent/end')
      runs.set(event.runId, [...(runs.get(event.runId) ?? []), event.type]);
  }
  for (const [runId, told] of runs) expect(told, `run ${runId}`).toEqual(['subagent/start', 'subagent/end']);
  for (const { id, to } of accepted) {
    const own = (await world.logOf(to, 'inbox/inserted')).filter(({ data }) => data.messageId === id);
    expect(own, `accepted message ${id} is in the log once`).toHaveLength(1);
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
    noteFigure('randomLives', 1);
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
