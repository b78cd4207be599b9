/** Agents that are reopened only for what is below them do nothing themselves, and tell of nothing (S3.7, S3.9, P17). */
import { expect, test } from 'vitest';
import { type SessionId, toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { does } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const [parentId, leafId] = [toSessionId('the-parent'), toSessionId('the-leaf')];
const hi = [{ type: 'text', text: 'hi' }] as const;

/** A root whose child and grandchild have ended, and been told of. */
async function coldBranch() {
  const world = openWorld();
  world.driver.script('parent', [
    does(async (turn) => {
      const leaf = await world.start(turn.agent, { label: 'leaf', childId: leafId, delivery: 'caller' });
      await leaf.result;
    }),
  ]);
  const root = await world.openRoot();
  await (await world.start(root.agent, { label: 'parent', childId: parentId })).result;
  await world.rest();
  const prompt = (
    requestId: string,
    content: Parameters<typeof world.runtime.prompt>[0]['content'] = hi,
    to: SessionId = leafId,
  ) => world.runtime.prompt({ parentId, childId: to, delivery: 'queue', requestId, content });
  const told = () => world.events.of('subagent/end').map(({ id }) => id);
  const notices = async () => (await world.logOf(root.id, 'inbox/inserted')).map(({ data }) => data.source.kind);
  return { world, root, prompt, told, notices };
}

test('a repeated prompt for a cold child of a cold parent opens neither (S3.7)', async () => {
  const { world, prompt } = await coldBranch();
  const first = await prompt('once');
  await world.rest();
  const [writes, starts] = [world.store.writes, world.events.of('subagent/start').length];
  expect(await prompt('once')).toBe(first);
  await world.rest();
  expect([world.store.writes, world.events.of('subagent/start').length]).toEqual([writes, starts]);
  expect(world.driver.turnsOf('leaf')).toHaveLength(2);
});

test('a parent that was reopened for its child and had no turn owes nobody a notice of its end (S3.9)', async () => {
  const { world, root, prompt, notices } = await coldBranch();
  const rootTurns = world.driver.turnsOf('root').length;
  const before = await notices();
  expect(await codeOf(prompt('seen', [{ type: 'image', mediaType: 'image/png', data: 'aa' }]))).toBe('UNSUPPORTED_CAPABILITY');
  await world.rest();
  expect(world.live).toBe(0);
  expect(await notices()).toEqual(before);
  expect(world.driver.turnsOf(root.agent.label)).toHaveLength(rootTurns);
  const ends = await world.logOf(parentId, 'activation/ended');
  expect(ends.map(({ data }) => data.notice !== undefined)).toEqual([true, false]);
});

test('one that had a turn of its own, because its child reported to it, is told of (S3.9)', async () => {
  const { world, prompt, notices } = await coldBranch();
  const before = (await notices()).length;
  await prompt('once');
  await world.rest();
  expect(world.driver.turnsOf('parent')).toHaveLength(2);
  expect(await notices()).toHaveLength(before + 1);
});
