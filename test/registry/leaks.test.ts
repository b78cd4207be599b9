/**
 * P32, R16: a thousand rounds leave nothing behind: no agent, no timer, no listener, no entry in any list of the runtime.
 * TROUPE_NIGHTLY=1 makes it ten thousand.
 */
import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../support/code-of.ts';
import { noteFigure } from '../support/figures.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const rounds = process.env.TROUPE_NIGHTLY === '1' ? 10_000 : 1_000;
const hello = [{ type: 'text', text: 'again' }] as const;

/** Everything in the runtime that could grow: sizes of its maps and sets, pending timers, children of the root. */
function sizes(world: World, rootId: string): Record<string, number> {
  const { registry } = world;
  const collections = Object.entries(registry as unknown as Record<string, unknown>).filter(
    ([, value]) => value instanceof Map || value instanceof Set,
  );
  return {
    ...Object.fromEntries(collections.map(([name, value]) => [name, (value as Map<unknown, unknown>).size])),
    timers: world.clock.pendingTimers,
    live: world.live,
    children: world.resident(rootId).children.size,
    faults: world.faults.length,
  };
}

async function measured(round: (world: World, root: Parameters<World['start']>[0], index: number) => Promise<void>) {
  const world = openWorld({ limits: { childrenPerAgent: rounds + 10 } });
  world.driver.isBlind = true;
  const root = await world.openRoot();
  await round(world, root.agent, 0);
  await world.rest();
  const before = sizes(world, root.id);
  for (let index = 1; index <= rounds; index++) await round(world, root.agent, index);
  await world.rest();
  expect(sizes(world, root.id)).toEqual(before);
  noteFigure('rounds', rounds);
}

describe(`${rounds} rounds`, { timeout: rounds * 60 }, () => {
  test('of start and settle leave nothing, also on the signal that all of them share (P32)', async () => {
    const { signal } = new AbortController();
    await measured(async (world, root) => {
      await (await world.start(root, { signal, delivery: 'caller' })).result;
    });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('of start, message, resume and notice leave nothing (P32)', async () => {
    const { signal } = new AbortController();
    await measured(async (world, root) => {
      const child = await world.start(root, { signal });
      await child.result;
      await world.runtime.sendMessage(root, child.childId, hello, { signal });
      await world.gone(child.childId);
    });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('of start and disposal in mid-turn leave nothing (P32)', async () => {
    await measured(async (world, root) => {
      world.driver.script('worker', [waitsAt()]);
      await (await world.start(root, { delivery: 'caller' })).dispose();
    });
  });

  test('of refused, cancelled and failed starts leave nothing (P32)', async () => {
    await measured(async (world, root, index) => {
      const abort = new AbortController();
      const starting = codeOf(world.start(root, { signal: abort.signal }));
      abort.abort();
      expect(await starting).toBe('CANCELLED');
      expect(await codeOf(world.start(root, { maxDepth: 0 }))).toBe('DEPTH_EXCEEDED');
      world.driver.onValidate = () => {
        throw new Error(`not ${index}`);
      };
      expect(await codeOf(world.start(root))).toBe('UNSUPPORTED_CAPABILITY');
      world.driver.onValidate = () => undefined;
    });
  });

  test('of listeners on the events of each child leave nothing (P32)', async () => {
    await measured(async (world, root) => {
      world.driver.script('worker', [
        async ({ agent }) => {
          world.runtime.eventsOf(agent).subscribe(() => undefined);
        },
      ]);
      await (await world.start(root, { delivery: 'caller' })).result;
    });
  });

  test('of external children leave nothing but their ids, which are never given again (P32, S1.9)', async () => {
    const world = openWorld({ limits: { childrenPerAgent: rounds + 10 } });
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    const { signal } = new AbortController();
    const before = sizes(world, root.id);
    for (let index = 0; index < rounds; index++) {
      remote.plan({ result: { output: [], stopReason: 'completed' } });
      await (await world.start(root.agent, { provider: 'remote', signal, delivery: 'caller' })).result;
    }
    await world.rest();
    expect(sizes(world, root.id)).toEqual({ ...before, externalIds: rounds });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(remote.runs.filter((run) => run.disposals !== 1 || !run.isGone)).toEqual([]);
    noteFigure('rounds', rounds);
  });

  test('of waits that give up leave nothing on the signal (P06, P32)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    world.driver.otherwise(waitsAt());
    await world.start(root.agent);
    const shared = new AbortController();
    for (let index = 0; index < rounds; index++) {
      const abort = new AbortController();
      const waiting = codeOf(world.runtime.waitForChildren(root.agent, AbortSignal.any([shared.signal, abort.signal])));
      abort.abort();
      expect(await waiting).toBe('CANCELLED');
    }
    expect(getEventListeners(shared.signal, 'abort')).toEqual([]);
    expect(world.live).toBe(1);
    noteFigure('rounds', rounds);
  });
});
