/** B-3: a cancel and a last answer in the same instant. One end, told alike by everybody, and nothing after it. */
import { expect, test } from 'vitest';
import type { AgentDriver, Turn } from '../../src/agents/driver.ts';
import { textOf } from '../../src/sessions/content.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { type Hops, shuffledStore, shuffler } from '../support/shuffler.ts';
import { openWorld } from '../support/world.ts';

/** Answers at once; how long each step takes is up to the shuffle. With `late` it answers once more when it was stopped. */
function answering(hops: Hops, late: boolean): AgentDriver {
  const answer = async (turn: Turn, text: string) => {
    await hops();
    await turn.record({ role: 'assistant', content: [{ type: 'text', text }] });
    await hops();
  };
  return {
    name: 'answering',
    async runTurn(turn) {
      await answer(turn, 'the answer');
      const more = await turn.takeSteering();
      if (more.length > 0) await answer(turn, 'the answer to the message');
      if (turn.signal.aborted && late) await answer(turn, 'the late answer').catch(() => undefined);
      await hops();
      return { stopReason: turn.signal.aborted && late ? 'aborted' : 'completed' };
    },
  };
}

async function race(seed: number, late: boolean) {
  const hops = shuffler(seed);
  const world = openWorld({ store: () => shuffledStore(hops) });
  const root = await world.openRoot({ composition: { driver: answering(hops, late) } });
  const child = await world.start(root.agent, { delivery: seed % 2 === 0 ? 'parent' : 'caller' });
  const cancel = async () => {
    await hops(80);
    await child.dispose();
  };
  const steer = async () => {
    await hops(80);
    await world.runtime.sendMessage(root.agent, child.childId, [{ type: 'text', text: 'one more thing' }]);
  };
  const acts = [cancel(), ...(seed % 3 === 0 ? [] : [steer().catch(() => undefined)])];
  const result = await child.result;
  await Promise.all(acts);
  await world.rest();
  return { world, root, child, result };
}

test.each([
  ['comes to its end', false],
  ['goes on speaking after it was stopped', true],
])(
  'one terminal outcome over 200 shuffles, when the agent %s (B-3, P01, P05, P27)',
  async (_, late) => {
    const seen = new Map<string, number>();
    for (let seed = 0; seed < 200; seed++) {
      const { world, root, child, result } = await race(seed, late);
      const where = `seed ${seed}`;
      const log = await world.log(child.childId);
      const runs = world.events.of('subagent/start').map(({ runId }) => runId);
      const ends = world.events.of('subagent/end');
      expect(
        ends.map(({ runId }) => runId),
        where,
      ).toEqual(runs);
      // the last record of a run is its end; one that a message overtook is none
      for (const end of ends) {
        const record = log.findLast((event) => event.type === 'activation/ended' && event.data.runId === end.runId);
        expect(record?.data, where).toMatchObject({ stopReason: end.stopReason });
      }
      expect(ends[0]?.stopReason, where).toBe(result.stopReason);
      const notices = (await world.logOf(root.id, 'inbox/inserted')).filter(
        ({ data }) => data.source.kind === 'subagent-settled',
      );
      const told = new Map(notices.map(({ data }) => [data.messageId, data.source]));
      expect(told.size, where).toBe(notices.length);
      if (seed % 2 === 0)
        expect(told.get(`${child.childId}:1` as never), where).toMatchObject({ summary: `worker ended: ${result.stopReason}` });
      // a committed answer is what the result says
      if (result.stopReason === 'completed') expect(textOf(result.output), where).toMatch(/^the answer/);
      seen.set(result.stopReason, (seen.get(result.stopReason) ?? 0) + 1);
      const before = await world.log(child.childId);
      await world.advance(120_000);
      expect(await world.log(child.childId), where).toEqual(before);
      expect(await child.result, where).toBe(result);
      await child.dispose();
      await world.close();
    }
    // the shuffles reach both sides of the race
    expect([...seen.keys()].toSorted()).toEqual(['aborted', 'completed']);
  },
  60_000,
);

test('one terminal outcome of an external child over 200 shuffles (B-3, P01, P05, P27)', async () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 200; seed++) {
    const hops = shuffler(seed);
    const world = openWorld({ store: () => shuffledStore(hops) });
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { provider: 'remote' });
    const answer = hops(20).then(() => remote.runs[0]?.settle({ output: [{ type: 'text', text: 'the answer' }] }));
    const cancel = hops(20).then(() => child.dispose());
    const result = await child.result;
    await Promise.all([answer, cancel]);
    await world.rest();
    const where = `seed ${seed}`;
    expect(world.events.lives(), where).toEqual(['start worker', `end worker ${result.stopReason}`]);
    expect(result.output, where).toEqual(result.stopReason === 'completed' ? [{ type: 'text', text: 'the answer' }] : []);
    const notices = (await world.logOf(root.id, 'inbox/inserted')).map(({ data }) => data.source);
    expect(notices, where).toMatchObject([{ summary: `worker ended: ${result.stopReason}` }]);
    expect(remote.runs[0]?.disposals, where).toBe(1);
    seen.add(result.stopReason);
    await world.close();
  }
  expect([...seen].toSorted()).toEqual(['aborted', 'completed']);
}, 60_000);
