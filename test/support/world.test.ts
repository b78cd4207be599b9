import { expect, test } from 'vitest';
import { says } from './scripted-steps.ts';
import { openWorld } from './world.ts';

test('a world runs a child from start to notice and leaves nothing behind', async () => {
  const world = openWorld();
  world.driver.script('worker', [says('done')]);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { label: 'worker' });
  expect(await child.result).toEqual({ output: [{ type: 'text', text: 'done' }], stopReason: 'completed' });
  await world.driver.turn('root');
  await world.rest();
  expect(world.events.lives()).toEqual(['start worker', 'end worker completed']);
  expect(await world.typesOf(child.childId)).toEqual([
    'subagent/descriptor',
    'inbox/inserted',
    'inbox/claimed',
    'turn/started',
    'assistant/message',
    'turn/ended',
    'activation/ended',
    'notice/delivered',
  ]);
  expect(world.live).toBe(0);
});
