/** L-1: a run that died is noticed, by whatever can notice it; one that is only quiet is let alone. */
import { expect, test } from 'vitest';
import { codeOf } from '../support/code-of.ts';
import { type RunPlan, scriptedProvider } from '../support/scripted-provider.ts';
import { openWorld } from '../support/world.ts';

async function remoteChild(plans: readonly RunPlan[]) {
  const world = openWorld();
  const remote = scriptedProvider();
  remote.plan(...plans);
  world.runtime.registerProvider(remote);
  const root = await world.openRoot({ label: 'root' });
  const child = await world.start(root.agent, { provider: 'remote' });
  const activity = async () => (await world.runtime.listAgents(root.agent)).map((entry) => entry.activity);
  return { world, remote, root, child, activity };
}

test('a transport that dies with an error ends the child as failed: notice, wait and list say so (L-1, P01, P27)', async () => {
  const { world, remote, root, child, activity } = await remoteChild([]);
  const waiting = world.runtime.waitForChildren(root.agent);
  (await remote.run()).reject(new Error('ECONNRESET'));
  expect(await waiting).toBe(true);
  expect(await codeOf(child.result.catch(() => Promise.resolve()))).toBe('done');
  await root.whenQuiet();
  expect(await activity()).toEqual(['inactive']);
  const [turn] = world.driver.turnsOf('root');
  expect(turn?.input.map(({ source }) => (source as { summary: string }).summary)).toEqual(['worker ended: error']);
  expect(world.events.lives(child.childId)).toEqual(['start worker', 'end worker error']);
});

test('one that dies in silence ends when it is stopped, within the bound of a turn: notice, wait and list say so (L-1, P24)', async () => {
  const { world, root, child, activity } = await remoteChild([{ neverSettles: true }]);
  const waiting = world.runtime.waitForChildren(root.agent);
  world.runtime.interrupt(child.childId, { kind: 'ancestor', agent: root.agent });
  await world.advance(world.runtime.limits.turnStopMs);
  expect((await child.result).stopReason).toBe('aborted');
  expect(await waiting).toBe(true);
  await root.whenQuiet();
  expect(await activity()).toEqual(['inactive']);
  expect(world.driver.turnsOf('root')).toHaveLength(1);
  expect(world.live).toBe(0);
});

test('a child that says nothing for a day is shown as running, and its end counts (L-1)', async () => {
  const { world, remote, child, activity } = await remoteChild([]);
  await world.advance(86_400_000);
  expect(await activity()).toEqual(['running']);
  (await remote.run()).settle({ stopReason: 'completed' });
  expect((await child.result).stopReason).toBe('completed');
});
