/** A host-run agent whose session another owner took over can speak for nobody any more (P15): its children end, and it leaves. */
import { expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const hostId = toSessionId('the-host');

test('an attached agent whose session was taken over stops its children, leaves, and admits no child any more (P15, S4.6)', async () => {
  const world = openWorld();
  world.driver.otherwise(waitsAt());
  world.tolerateFaults('hand back', 'notice', 'flush', 'seal');
  const host = await world.attachRoot({ id: hostId });
  const first = await world.start(host.agent, { childId: toSessionId('child-1') });
  await world.driver.turn('worker');
  const head = await world.store.inner.head(hostId);
  await world.store.inner.handBack(hostId, head?.epoch ?? 0);
  await world.store.inner.claim(hostId, 'another-owner');
  // it learns of it with its next write: the catalog entry of a child
  expect(await codeOf(world.start(host.agent, { childId: toSessionId('child-2') }))).toBe('FENCED');
  await world.gone(hostId);
  expect((await first.result).stopReason).toBe('aborted');
  await world.rest();
  expect({ isResident: world.isResident(hostId), live: world.live }).toEqual({ isResident: false, live: 0 });
  expect(await codeOf(world.start(host.agent))).toBe('PARENT_UNAVAILABLE');
  expect((await world.store.inner.head(hostId))?.owner).toBe('another-owner');
});
