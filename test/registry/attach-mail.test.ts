/** Mail that waits in a stored session reaches the host that attaches it (S2.10, S10.1). */
import { expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import { textOf } from '../../src/sessions/content.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import type { InboxMessage } from '../../src/sessions/message.ts';
import { waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';
import { afterCrash } from './after-crash.ts';

const id = toSessionId('the-agent');

/** A process that runs the agent on a driver is closed while two prompts and a piece of context wait. */
async function leftWithMail(): Promise<World> {
  const before = openWorld();
  before.driver.otherwise(waitsAt());
  const root = await before.openRoot({ id });
  await root.prompt('taken');
  await before.driver.turn('root');
  await root.prompt('first');
  await root.inject('beside it');
  await root.prompt('second');
  await root.close();
  return afterCrash(before);
}

const pendingOf = async (world: World) => (await world.store.inner.pending()).map(({ pending }) => pending.unclaimed);

test('what waits is delivered in order before attachAgent resolves, and claimed (S2.10, S10.1)', async () => {
  const world = await leftWithMail();
  const got: InboxMessage[] = [];
  const host = await world.attachRoot({ id, deliver: (message) => void got.push(message) });
  expect(got.map(({ content }) => textOf(content))).toEqual(['first', 'beside it', 'second']);
  const claims = await world.logOf(id, 'inbox/claimed');
  expect(claims.slice(-3).map(({ data }) => [...data.messageIds, data.waking])).toEqual(
    got.map(({ messageId, wakes }) => [messageId, wakes ? 1 : 0]),
  );
  await host.close();
  expect(await pendingOf(world)).toEqual([]);
  await (await world.attachRoot({ id, deliver: (message) => void got.push(message) })).close();
  expect(got).toHaveLength(3);
});

test('at the first that the host does not take it stops: that and what is behind it wait for the next time (S2.10)', async () => {
  const world = await leftWithMail();
  world.expectFaults('hand over');
  const tried: string[] = [];
  const refusing = (message: InboxMessage) => {
    tried.push(textOf(message.content));
    if (tried.length === 2) throw new Error('the host is full');
  };
  await (await world.attachRoot({ id, deliver: refusing })).close();
  expect(tried).toEqual(['first', 'beside it']);
  expect(await pendingOf(world)).toEqual([1]);
  const got: string[] = [];
  await world.attachRoot({ id, deliver: (message) => void got.push(textOf(message.content)) });
  expect(got).toEqual(['beside it', 'second']);
});

test('a claim that the store refuses is reported, and the message comes again under its id (S10.1)', async () => {
  const world = await leftWithMail();
  world.expectFaults('hand over');
  world.store.inject({
    at: { method: 'append', event: 'inbox/claimed' },
    fault: 'reject',
    error: new SubagentError('STORE_FULL', 'no room'),
  });
  const got: string[] = [];
  const deliver = (message: InboxMessage) => void got.push(message.messageId);
  await (await world.attachRoot({ id, deliver })).close();
  await world.attachRoot({ id, deliver });
  expect(got).toHaveLength(4);
  expect(got[1]).toBe(got[0]);
});
