/** J-3: nobody can wait for itself, and what re-enters the runtime comes back. */
import { expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { sendMessageTool } from '../../src/tools/send-message.ts';
import { codeOf } from '../support/code-of.ts';
import { callsTool, does, says, takesSteering, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const hello = [{ type: 'text', text: 'hello' }] as const;
const childId = toSessionId('child-1');

test('a tool that sends to its own agent is refused at once, and the turn goes on (J-3, S3.1, P23)', async () => {
  const world = openWorld();
  world.driver.script('worker', [callsTool('send_message', { agent_id: childId, message: 'note to self' }), says('went on')]);
  const tools = [sendMessageTool({ runtime: world.runtime })];
  const root = await world.openRoot({ composition: { driver: world.driver, tools } });
  const before = world.clock.now();
  const child = await world.start(root.agent, { childId });
  expect(await child.result).toMatchObject({ stopReason: 'completed', output: [{ text: 'went on' }] });
  expect(world.clock.now()).toBe(before);
  const [result] = world.driver.turnsOf('worker')[0]?.results ?? [];
  expect(result).toMatchObject({ isError: true });
  expect(result?.output).toContain('nothing was delivered');
  expect(await world.inserted(childId)).toEqual(['go']);
});

test('parent and child that send to each other in the same step both come back, and both are heard (J-3, P23)', async () => {
  const world = openWorld();
  const codes: string[] = [];
  const root = await world.openRoot({ label: 'root' });
  world.driver.script('root', [
    does(async ({ agent }) => {
      await world.start(agent, { childId });
      codes.push(await codeOf(world.runtime.sendMessage(agent, childId, hello)));
    }),
    waitsUntilHeard(),
  ]);
  world.driver.script('worker', [
    does(async ({ agent }) => void codes.push(await codeOf(world.runtime.sendMessage(agent, root.id, hello)))),
    waitsUntilHeard(),
  ]);
  await root.ask('begin');
  expect(codes).toEqual(['done', 'done']);
  expect(world.driver.turnsOf('worker')[0]?.steering).toHaveLength(1);
  expect(world.driver.turnsOf('root')[0]?.steering.length).toBeGreaterThan(0);

  function waitsUntilHeard() {
    return does(async (turn, record) => {
      while (record.steering.length === 0) {
        await new Promise((resolve) => setImmediate(resolve));
        await takesSteering()(turn, record);
      }
    });
  }
});

test('what a listener, a host or a driver calls from inside an event of the runtime comes back (J-3, P24)', async () => {
  const world = openWorld();
  const codes: Promise<string>[] = [];
  const root = await world.openRoot();
  world.driver.script('worker', [waitsAt()]);
  world.runtime.events$.subscribe((event) => {
    if (event.type === 'subagent/start' && event.label === 'worker') {
      codes.push(codeOf(world.runtime.sendMessage(root.agent, childId, hello)));
      codes.push(codeOf(world.start(root.agent, { label: 'second' })));
      codes.push(codeOf(world.runtime.waitForChildren(root.agent, AbortSignal.abort())));
      codes.push(codeOf(() => world.runtime.interrupt(childId, { kind: 'ancestor', agent: root.agent })));
      codes.push(codeOf(world.runtime.drainChildren(root.agent, [childId])));
    }
  });
  const child = await world.start(root.agent, { childId });
  expect((await child.result).stopReason).toBe('aborted');
  expect(await Promise.all(codes)).toEqual(['done', 'done', 'CANCELLED', 'done', 'done']);
});
