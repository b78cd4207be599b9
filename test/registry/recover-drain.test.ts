/** Recovery holds what it opens until all are in; what it holds can be stopped all the same (P17, S4.6). */
import { expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { does, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';
import { afterCrash, reopened, rootId } from './after-crash.ts';

const [upper, lower] = [toSessionId('upper'), toSessionId('lower')];

/** A crash took a child and its child; recovery has opened the upper one, and its read of the lower one hangs. */
async function halfRecovered() {
  const before = openWorld();
  before.driver.script('upper', [
    does(async (turn) => void (await before.start(turn.agent, { label: 'lower', childId: lower }))),
  ]);
  before.driver.script('lower', [waitsAt()]);
  const first = await before.openRoot({ id: rootId });
  await before.start(first.agent, { label: 'upper', childId: upper });
  await before.driver.turn('lower');
  await before.rest();
  const world = afterCrash(before);
  const root = await reopened(world);
  world.store.inject({ at: { method: 'read', session: lower }, fault: 'hang' });
  const recovering = world.runtime.recover();
  await world.store.reached({ method: 'read', session: lower });
  await world.rest();
  expect(world.isResident(upper)).toBe(true);
  return { world, root, recovering };
}

async function within(world: World, work: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  work.then(
    () => {
      isOver = true;
    },
    () => {
      isOver = true;
    },
  );
  await world.rest();
  return isOver;
}

test('a drain during recover() does not wait for what recovery holds: not for its bound, and no release fails (P17, S4.6)', async () => {
  const { world, root, recovering } = await halfRecovered();
  world.tolerateFaults('recovery'); // what it does not come to waits in the store, and is reported
  const draining = world.runtime.drainDescendants([root.agent]);
  world.store.release();
  expect(await within(world, draining), 'without time going by').toBe(true);
  expect(await codeOf(draining)).toBe('done');
  expect(await within(world, recovering)).toBe(true);
  expect(world.live).toBe(0);
});

test('recover() comes to its end when another owner has taken over what it holds (P15, P17)', async () => {
  const { world, root, recovering } = await halfRecovered();
  world.tolerateFaults('recovery', 'notice', 'flush', 'seal', 'hand back', 'turn');
  const head = await world.store.inner.head(upper);
  await world.store.inner.handBack(upper, head?.epoch ?? 0);
  await world.store.inner.claim(upper, 'another-owner');
  expect(await codeOf(world.runtime.sendMessage(root.agent, upper, [{ type: 'text', text: 'hello' }]))).toBe('FENCED');
  world.store.release();
  expect(await within(world, recovering), 'without time going by').toBe(true);
  await world.rest();
  expect(world.isResident(upper)).toBe(false);
});
