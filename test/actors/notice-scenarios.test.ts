/** every start has one end, told to the agent that delegated. */
import { describe, expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { ends, says, throws, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'again' }] as const;

const noticesOf = async (world: World, id: string) =>
  (await world.logOf(id, 'inbox/inserted')).map(({ data }) => data).filter(({ source }) => source.kind === 'subagent-settled');

describe('a fault after the start still settles (A-1, P01)', () => {
  const faults: readonly (readonly [
    name: string,
    stopReason: string,
    run: (world: World, root: Parameters<World['start']>[0]) => Promise<unknown>,
  ])[] = [
    [
      'its provider’s result rejects with a plain error',
      'error',
      async (world, root) => {
        const remote = scriptedProvider();
        remote.plan({ id: 'faulty' });
        world.runtime.registerProvider(remote);
        await world.start(root, { provider: 'remote', label: 'faulty' });
        (await remote.run()).reject(new Error('plain'));
      },
    ],
    [
      'its driver throws in mid-stream',
      'error',
      async (world, root) => {
        world.expectFaults('driver');
        world.driver.script('faulty', [says('half'), throws(new Error('stream closed'))]);
        await world.start(root, { label: 'faulty', childId: toSessionId('faulty') });
      },
    ],
    [
      'it runs into a limit of its own',
      'max-tokens',
      async (world, root) => {
        world.driver.script('faulty', [says('half'), ends('max-tokens')]);
        await world.start(root, { label: 'faulty', childId: toSessionId('faulty') });
      },
    ],
    [
      'it is stopped by hand',
      'aborted',
      async (world, root) => {
        world.driver.script('faulty', [waitsAt()]);
        const child = await world.start(root, { label: 'faulty', childId: toSessionId('faulty') });
        await child.dispose();
      },
    ],
  ];

  test.each(faults)(
    'when %s the parent gets exactly two notices, is woken by itself, and sees nobody running (A-1)',
    async (_, stopReason, run) => {
      const world = openWorld();
      world.driver.script('good', [says('ok')]);
      const root = await world.openRoot();
      let isRun = false;
      world.driver.script('root', [
        async ({ agent }) => {
          await world.start(agent, { label: 'good', childId: toSessionId('good') });
          await run(world, agent);
          isRun = true;
        },
      ]);
      await root.ask('delegate');
      await world.advance(1_000);
      expect(isRun).toBe(true);
      const notices = await noticesOf(world, root.id);
      expect(
        new Map(
          notices.map(({ source }) =>
            source.kind === 'subagent-settled' ? [source.senderSessionId, source.summary] : [],
          ) as never,
        ),
      ).toEqual(
        new Map([
          ['good', 'good ended: completed'],
          ['faulty', `faulty ended: ${stopReason}`],
        ]),
      );
      expect(notices).toHaveLength(2);
      const claimed = (await world.logOf(root.id, 'inbox/claimed')).flatMap(({ data }) => data.messageIds);
      for (const { messageId } of notices) expect(claimed).toContain(messageId);
      expect(world.live).toBe(0);
      expect(await world.runtime.waitForChildren(root.agent)).toBe(false);
    },
  );
});

test('completion goes to the agent that delegated, each time, and to nobody above it (A-3)', async () => {
  const world = openWorld();
  const grandchild = toSessionId('grandchild');
  world.driver.script('middle', [
    async ({ agent }) => void (await world.start(agent, { label: 'leaf', childId: grandchild })),
    says('delegated'),
  ]);
  world.driver.script(
    'middle',
    [async ({ agent }) => void (await world.runtime.sendMessage(agent, grandchild, hello)), says('followed up')],
    [says('all done')],
  );
  const root = await world.openRoot();
  const middle = await world.start(root.agent, { label: 'middle', childId });
  expect(await middle.result).toMatchObject({ output: [{ text: 'all done' }], stopReason: 'completed' });
  await world.rest();
  expect((await noticesOf(world, childId)).map(({ messageId }) => messageId)).toEqual([`${grandchild}:1`, `${grandchild}:2`]);
  expect((await noticesOf(world, root.id)).map(({ messageId }) => messageId)).toEqual([`${childId}:1`]);
  expect(world.driver.turnsOf('middle')).toHaveLength(3);
  expect(world.driver.turnsOf('root')).toHaveLength(1);
});
