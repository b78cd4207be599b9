/** S4.3, P11: a stop that comes at any await of a start or of a return is not missed: what is being born is never seen to run. */
import { expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'hello' }] as const;
const stops = ['drainDescendants', 'drainChildren', 'closing the parent', 'closing the runtime'] as const;

/** A parent below the root that starts a child, or gives a settled one a message; the stop comes after so many microtasks. */
async function stopAfter(ticks: number, stop: (typeof stops)[number], isReturn: boolean) {
  const world = openWorld();
  const root = await world.openRoot({ label: 'root' });
  if (isReturn) await (await world.start(root.agent, { childId })).result;
  await world.rest();
  world.driver.script('worker', [waitsAt(), says('it went on')]);
  const before = world.driver.turnsOf('worker').length;
  const work = isReturn ? world.runtime.sendMessage(root.agent, childId, hello) : world.start(root.agent, { childId });
  const code = codeOf(work);
  for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
  const isRunning = world.driver.turnsOf('worker').length > before;
  if (stop === 'drainDescendants') await world.runtime.drainDescendants([root.agent]);
  else if (stop === 'drainChildren') await world.runtime.drainChildren(root.agent, [childId]);
  else if (stop === 'closing the parent') await root.close();
  else await world.runtime.close();
  const live = world.live;
  const turns = world.driver.turnsOf('worker').slice(before);
  return { world, root, code: await code, live, isRunning, turns };
}

for (const isReturn of [false, true]) {
  // an id that is not there yet is no child to be drained (S4.4): such a drain does nothing to a return that follows
  const those = isReturn ? stops.filter((stop) => stop !== 'drainChildren') : stops;
  test.each(those)(
    `%s at any microtask of a ${isReturn ? 'return' : 'start'} leaves nobody behind, and the answer is true (S4.3, P11)`,
    async (stop) => {
      const codes = new Set<string>();
      let hasRun = false;
      for (let ticks = 0; ticks < 80; ticks++) {
        const { world, root, code, live, isRunning, turns } = await stopAfter(ticks, stop, isReturn);
        const where = `tick ${ticks}: ${code}`;
        codes.add(code);
        hasRun ||= isRunning;
        expect(live, where).toBe(0);
        expect(
          turns.every(({ turn }) => turn.signal.aborted),
          `${where}: a turn that was not stopped`,
        ).toBe(true);
        expect(
          turns.some(({ end }) => end !== undefined && 'stopReason' in end && end.stopReason === 'completed'),
          where,
        ).toBe(false);
        const isListed = (await world.store.inner.children(root.id)).length > 0;
        if (!isReturn) expect(isListed, where).toBe(code === 'done');
        else expect((await world.inserted(childId)).length, where).toBe(code === 'done' ? 2 : 1);
        await world.rest();
        expect(world.live, `${where}: later`).toBe(0);
        await world.close();
      }
      expect(hasRun, 'the stop came late enough once').toBe(true);
      expect(codes.size, 'and early enough').toBeGreaterThan(1);
    },
  );
}
