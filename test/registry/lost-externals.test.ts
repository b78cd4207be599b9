/** External children have no log of their own: a crash takes them, and their parent hears of it once (S7.6, P15). */
import { expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import type { InboxMessage } from '../../src/sessions/message.ts';
import { codeOf } from '../support/code-of.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { says } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';
import { afterCrash, reopened, rootId, textOfNotices } from './after-crash.ts';

test('those that were running when the process died are told to their reopened parent, exactly once; those already told are not', async () => {
  const before = openWorld();
  const remote = scriptedProvider();
  before.runtime.registerProvider(remote);
  const root = await before.openRoot({ id: rootId });
  await before.start(root.agent, { provider: 'remote', label: 'over' });
  (await remote.run(1)).settle({ output: [{ type: 'text', text: 'the answer' }] });
  await before.rest();
  await before.start(root.agent, { provider: 'remote', label: 'running' });
  const world = afterCrash(before);
  const again = await reopened(world);
  await again.whenQuiet();
  const notices = await textOfNotices(world, rootId);
  expect(notices).toEqual([expect.stringContaining('the answer'), expect.stringContaining('was lost')]);
  const heard = world.driver.turnsOf('root').flatMap(({ input }) => input.map(({ source }) => source));
  expect(heard).toMatchObject([{ kind: 'subagent-settled', summary: 'running ended: error', senderSessionId: 'remote-2' }]);
  await world.runtime.recover();
  await again.close();
  await (await reopened(afterCrash(world))).whenQuiet();
  expect(await textOfNotices(world, rootId)).toEqual(notices);
});

test('one whose notice could not be written is told when its parent is reopened', async () => {
  const world = openWorld();
  world.expectFaults('notice');
  const remote = scriptedProvider();
  world.runtime.registerProvider(remote);
  const root = await world.openRoot({ id: rootId });
  const child = await world.start(root.agent, { provider: 'remote', label: 'unheard' });
  const error = new SubagentError('STORE_FAILED', 'broken');
  world.store.inject({ at: { method: 'append', event: 'inbox/inserted' }, fault: 'reject', error });
  (await remote.run(1)).settle();
  await child.result;
  await world.rest();
  await root.close();
  await (await reopened(world)).whenQuiet();
  expect(await textOfNotices(world, rootId)).toEqual([expect.stringContaining('was lost')]);
});

test('a child that waited for one goes on after the crash and hears of the loss before it ends (S7.6, S10.1, P15)', async () => {
  const before = openWorld();
  const remote = scriptedProvider();
  before.runtime.registerProvider(remote);
  const root = await before.openRoot({ id: rootId });
  const childId = toSessionId('child-1');
  before.driver.script('worker', [
    async ({ agent }) => void (await before.start(agent, { provider: 'remote', label: 'far away' })),
    says('waiting'),
  ]);
  await before.start(root.agent, { childId });
  await remote.run(1);
  await before.rest();
  const world = afterCrash(before);
  world.driver.script('worker', [says('heard of it')]);
  const again = await reopened(world);
  expect((await world.runtime.recover()).resumed).toEqual([childId]);
  await again.whenQuiet();
  expect(await textOfNotices(world, childId)).toEqual([expect.stringContaining('was lost')]);
  expect(await textOfNotices(world, rootId)).toEqual([expect.stringContaining('heard of it')]);
});

test.each([
  ['', 0],
  [', although the clock on the wall is set forwards meanwhile', 3_600_000],
])(
  'one whose notice finds the disk full is told when there is room again%s: its result is not lost (S3.9, R9)',
  async (_, ms) => {
    const clock = manualClock();
    let jumpMs = 0;
    const now = () => clock.now() + jumpMs;
    const world = openWorld({ clock: Object.assign(Object.create(clock) as ManualClock, { now }) });
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    const root = await world.openRoot({ id: rootId });
    const child = await world.start(root.agent, { provider: 'remote', label: 'far away' });
    const error = new SubagentError('STORE_FULL', 'full');
    for (let nth = 1; nth <= 3; nth++)
      world.store.inject({ at: { method: 'append', event: 'inbox/inserted' }, fault: 'reject', error });
    (await remote.run(1)).settle({ output: [{ type: 'text', text: 'the answer' }] });
    await world.rest();
    expect(await textOfNotices(world, rootId)).toEqual([]);
    jumpMs = ms;
    await world.advance(2_000);
    await child.result;
    expect(await textOfNotices(world, rootId)).toEqual([expect.stringContaining('the answer')]);
  },
);

test('one that was started too late, and is listed all the same, is told as ended (S1.6, S6.1)', async () => {
  const world = openWorld({ limits: { materializeMs: 1_000, drainMs: 2_000 } });
  const remote = scriptedProvider();
  world.runtime.registerProvider(remote);
  const root = await world.openRoot({ id: rootId });
  world.store.inject({ at: { method: 'append', event: 'subagent/child' }, fault: 'slow', ms: 5_000, clock: world.clock });
  const starting = codeOf(world.start(root.agent, { provider: 'remote', label: 'too late' }));
  await world.advance(9_000);
  expect(await starting).toBe('TIMED_OUT');
  expect((await world.runtime.listChildren(rootId)).map(({ label }) => label)).toEqual(['too late']);
  expect(await textOfNotices(world, rootId)).toEqual([expect.stringContaining('started too late')]);
});

test('a host whose deliver throws keeps no child closed: messages and prompts open it, and the notice stays owed (S3.2)', async () => {
  const world = openWorld();
  world.tolerateFaults('notice');
  const taken: InboxMessage[] = [];
  let isBroken = true;
  const deliver = (message: InboxMessage) => {
    if (isBroken) throw new Error('a bug of the host');
    taken.push(message);
  };
  const host = await world.attachRoot({ deliver });
  const childId = toSessionId('child-1');
  await (await world.start(host.agent, { childId })).result;
  await world.rest();
  expect(await codeOf(world.runtime.sendMessage(host.agent, childId, [{ type: 'text', text: 'again' }]))).toBe('done');
  await world.rest();
  const content = [{ type: 'text', text: 'and again' }] as const;
  const request = { parentId: host.id, childId, delivery: 'queue', requestId: '1', content } as const;
  expect(await codeOf(world.runtime.prompt(request))).toBe('done');
  await world.rest();
  expect(world.driver.turnsOf('worker')).toHaveLength(3);
  expect(world.faults.map(({ where }) => where)).toContain('notice');
  isBroken = false;
  await world.runtime.sendMessage(host.agent, childId, content);
  await world.rest();
  expect(taken.at(-1)?.source.kind).toBe('subagent-settled');
});
