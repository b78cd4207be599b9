/** A session that could not be handed back must not stay hidden from recovery for as long as its process lives (S10.1, P20). */
import { expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';
import { afterCrash, crashAt, reopened, rootId } from './after-crash.ts';

const childId = toSessionId('child-1');

test('what the store would not take back is offered again, and recovered by the process that lost it (S10.1)', async () => {
  const world = openWorld();
  world.tolerateFaults('turn', 'hand back');
  world.driver.script('worker', [waitsAt(), says('never said')], [says('went on')]);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { childId });
  await world.driver.turn('worker');
  world.store.inject({ at: { method: 'append', session: childId }, fault: 'unknown', isDone: false });
  const error = new SubagentError('STORE_FULL', 'full');
  world.store.inject({ at: { method: 'handBack', session: childId }, fault: 'reject', error });
  await world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text: 'hello' }]).catch(() => undefined);
  await child.result.catch(() => undefined);
  await root.whenQuiet();
  expect(world.driver.turnsOf('worker')).toHaveLength(2);
  expect(await world.typesOf(childId)).toContain('activation/ended');
});

test('it is offered again with each renewal of the lease, so that another process can have it (S10.2)', async () => {
  const world = openWorld();
  world.tolerateFaults('hand back');
  const error = new SubagentError('STORE_FULL', 'full');
  world.store.inject({ at: { method: 'handBack' }, fault: 'reject', error });
  const host = await world.attachRoot();
  await host.close();
  expect((await world.store.inner.head(host.id))?.owner).toBeDefined();
  await world.advance(world.store.leaseMs / 3);
  expect((await world.store.inner.head(host.id))?.owner).toBeUndefined();
});

test('a child that came back for a message that was then refused has no end that its parent is told of (S3.9)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  await (await world.start(root.agent, { childId, delivery: 'caller' })).result;
  await world.rest();
  const error = new SubagentError('STORE_FULL', 'full');
  world.store.inject({ at: { method: 'append', session: childId, event: 'inbox/inserted' }, fault: 'reject', error });
  const sending = world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text: 'hello' }]);
  await expect(sending).rejects.toMatchObject({ code: 'STORE_FULL' });
  await world.gone(childId);
  await world.rest();
  expect(await world.inserted(root.id)).toEqual([]);
  expect(world.driver.turnsOf('root')).toEqual([]);
});

test('a start that was never announced and cannot be deleted now is deleted by the next recovery (S1.6, R9)', async () => {
  const before = openWorld();
  const first = await before.openRoot({ id: rootId });
  const entry = { method: 'append', session: rootId, event: 'subagent/child' } as const;
  crashAt(before, entry, false);
  const starting = before.start(first.agent, { childId });
  starting.catch(() => undefined); // its process is gone
  await before.store.reached(entry);
  const world = afterCrash(before);
  world.tolerateFaults('recovery');
  await reopened(world);
  world.store.inject({ at: { method: 'remove' }, fault: 'reject', error: new SubagentError('STORE_FULL', 'full') });
  expect((await world.runtime.recover()).waiting).toEqual([{ id: childId, reason: 'STORE_FULL' }]);
  expect((await world.runtime.recover()).removed).toEqual([childId]);
});
