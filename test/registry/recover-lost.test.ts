/** A recovery that meets an agent on its way out must not keep it from leaving by what it holds below it (S4, S10.1, P13). */
import { expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';
import { afterCrash, crashAt, reopened, rootId } from './after-crash.ts';

const [parent, leaf, ended] = ['parent', 'leaf', 'ended'].map(toSessionId) as [never, never, never];

test('a top-level agent that loses its session while it is recovered leaves, and the recovery comes to its end', async () => {
  const before = openWorld();
  before.driver.script('parent', [async ({ agent }) => void (await before.start(agent, { label: 'leaf', childId: leaf }))]);
  before.driver.script('leaf', [waitsAt()]);
  const first = await before.openRoot({ id: rootId });
  await before.start(first.agent, { label: 'parent', childId: parent });
  await before.driver.turn('leaf');
  await before.rest();
  const notice = { method: 'append', session: rootId, event: 'inbox/inserted' } as const;
  crashAt(before, notice, false);
  await before.start(first.agent, { label: 'ended', childId: ended });
  await before.store.reached(notice);
  const world = afterCrash(before);
  world.tolerateFaults('recovery', 'resume', 'turn', 'notice', 'close');
  const root = await reopened(world);
  world.store.inject({ at: { method: 'claim', session: leaf }, fault: 'slow', ms: 500, clock: world.clock });
  const recovering = world.runtime.recover();
  await world.store.reached({ method: 'claim', session: leaf });
  world.store.inject({ at: { method: 'append', session: rootId }, fault: 'unknown', isDone: false });
  await root.prompt('hello').catch(() => undefined);
  await world.advance(7_000); // less than it takes until what is left is given up
  await recovering;
  expect(world.isResident(rootId)).toBe(false);
});
