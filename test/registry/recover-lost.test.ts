/** A recovery that meets an agent on its way out must not keep it from leaving by what it holds below it (S4, S10.1, P13). */
import { describe, expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';
import { afterCrash, crashAt, reopened, rootId, textOfNotices } from './after-crash.ts';

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

describe('a child whose session was lost to a write of unknown outcome', () => {
  test.each([true, false])(
    'goes on by itself, and whoever waits for its parent waits for it (really written: %s; S10.1, P01)',
    async (isDone) => {
      const world = openWorld();
      world.expectFaults('turn');
      world.driver.script('worker', [waitsAt()], [says('all is well')]);
      const root = await world.openRoot();
      const child = await world.start(root.agent, { childId: leaf });
      await world.driver.turn('worker');
      world.store.inject({ at: { method: 'append', session: leaf }, fault: 'unknown', isDone });
      const hello = [{ type: 'text', text: 'hello' }] as const;
      expect(await codeOf(world.runtime.sendMessage(root.agent, leaf, hello))).toBe('OUTCOME_UNKNOWN');
      const quiet = root.whenQuiet();
      expect(await codeOf(child.result)).toBe('OUTCOME_UNKNOWN');
      await quiet;
      expect(await textOfNotices(world, root.id)).toEqual([expect.stringContaining('all is well')]);
      expect(await world.runtime.recover()).toEqual({ resumed: [], told: [], removed: [], waiting: [] });
    },
  );

  test('keeps nobody from closing: its work waits in the store (S4.6)', async () => {
    const world = openWorld();
    world.tolerateFaults('turn', 'recovery', 'close');
    world.driver.script('worker', [waitsAt()], [says('all is well')]);
    const root = await world.openRoot();
    await world.start(root.agent, { childId: leaf });
    await world.driver.turn('worker');
    world.store.inject({ at: { method: 'append', session: leaf }, fault: 'unknown' });
    world.store.inject({ at: { method: 'pending' }, fault: 'hang' });
    await codeOf(world.runtime.sendMessage(root.agent, leaf, [{ type: 'text', text: 'hello' }]));
    await world.store.reached({ method: 'pending' });
    let isClosed = false;
    const closing = root.close().then(() => {
      isClosed = true;
    });
    await world.rest();
    expect(isClosed, 'without time going by').toBe(true);
    await closing;
  });
});
