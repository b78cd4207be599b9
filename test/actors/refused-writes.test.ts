/** A store that is full for a moment refuses a write: what was refused has not happened, and the agent goes on or ends (R9, P18). */
import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import type { SessionEventType } from '../../src/sessions/event.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { callsTool, leavesCallOpen, says, takesSteering, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const full = new SubagentError('STORE_FULL', 'the disk is full');

function refuse(world: World, session: string, event: SessionEventType, nth = 1): void {
  world.store.inject({ at: { method: 'append', session, event, nth }, fault: 'reject', error: full });
}

async function callsIn(world: World, id: string): Promise<{ made: string[]; answered: string[] }> {
  const made = (await world.logOf(id, 'assistant/message')).flatMap(({ data }) => data.content);
  const answered = (await world.logOf(id, 'tool/results')).flatMap(({ data }) => data.content);
  return {
    made: made.flatMap((block) => (block.type === 'tool-call' ? [block.callId] : [])),
    answered: answered.map(({ callId }) => callId),
  };
}

describe('a turn whose write is refused ends as an error with a balanced history', () => {
  test.each<readonly [string, SessionEventType, number]>([
    ['a call, which then was never made', 'assistant/message', 1],
    ['the result of a call, which then is marked as interrupted', 'tool/results', 1],
    ['the next call', 'assistant/message', 2],
  ])('when it is %s (P18)', async (_, event, nth) => {
    const world = openWorld();
    world.expectFaults('driver');
    const root = await world.openRoot();
    refuse(world, childId, event, nth);
    world.driver.script('worker', [callsTool('none'), leavesCallOpen('none', 'open'), says('done')]);
    const child = await world.start(root.agent, { childId });
    expect((await child.result).stopReason).toBe('error');
    const { made, answered } = await callsIn(world, childId);
    expect(answered).toEqual(made);
    expect((await world.logOf(childId, 'turn/ended')).map(({ data }) => data.stopReason)).toEqual(['error']);
  });

  test('when it is the end of the turn: the release writes it, and the open call is answered once (P18)', async () => {
    const world = openWorld();
    world.expectFaults('turn');
    const root = await world.openRoot();
    refuse(world, childId, 'turn/ended');
    world.driver.script('worker', [leavesCallOpen('none', 'open')]);
    const child = await world.start(root.agent, { childId });
    await child.result;
    expect(await callsIn(world, childId)).toEqual({ made: ['open'], answered: ['open'] });
    expect(await world.logOf(childId, 'turn/ended')).toHaveLength(1);
    expect(await world.store.inner.pending()).toEqual([]);
  });

  test('when it is a claim at a step boundary: the message stays, and opens the next turn (P13)', async () => {
    const world = openWorld();
    world.expectFaults('driver');
    const root = await world.openRoot();
    let sent: Promise<string> | undefined;
    world.driver.script('worker', [
      leavesCallOpen('none', 'open'),
      async () => {
        refuse(world, childId, 'inbox/claimed');
        sent = world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text: 'a word' }]);
        await sent;
      },
      takesSteering(),
    ]);
    const child = await world.start(root.agent, { childId });
    await child.result;
    const claims = (await world.logOf(childId, 'inbox/claimed')).flatMap(({ data }) => data.messageIds);
    expect(claims.filter((id) => id === claims[1])).toEqual([await sent]);
    expect(await callsIn(world, childId)).toEqual({ made: ['open'], answered: ['open'] });
  });
});

describe('an end that is refused', () => {
  test.each(['parent', 'caller'] as const)(
    'is written once more when the session is given up, for the %s (P15, S3.9)',
    async (delivery) => {
      const world = openWorld();
      world.expectFaults('seal');
      const root = await world.openRoot();
      refuse(world, childId, 'activation/ended');
      const child = await world.start(root.agent, { childId, delivery });
      expect((await child.result).stopReason).toBe('completed');
      expect(await world.logOf(childId, 'activation/ended')).toHaveLength(1);
      expect(await world.store.inner.pending()).toEqual([]);
      expect(await world.inserted(root.id)).toHaveLength(delivery === 'parent' ? 1 : 0);
    },
  );

  test('for good is not told before recovery has written it, so that notice and log agree (P27, S3.9)', async () => {
    const world = openWorld();
    world.expectFaults('flush', 'notice');
    const root = await world.openRoot();
    world.driver.script('worker', [says('half of it'), waitsAt()]);
    const child = await world.start(root.agent, { childId });
    await world.rest();
    refuse(world, childId, 'activation/ended');
    refuse(world, childId, 'activation/ended');
    await child.dispose();
    await world.rest();
    expect(await world.inserted(root.id)).toEqual([]);
    expect((await world.runtime.recover()).told).toEqual([childId]);
    const ended = (await world.logOf(childId, 'activation/ended')).map(({ data }) => data.stopReason);
    const told = (await world.logOf(root.id, 'inbox/inserted')).map(({ data }) =>
      data.source.kind === 'subagent-settled' ? data.source.summary : '',
    );
    expect(told).toEqual(ended.map((stopReason) => `worker ended: ${stopReason}`));
  });

  test('for good is written by recovery, which tells nothing twice (P15)', async () => {
    const world = openWorld();
    world.expectFaults('seal', 'notice');
    const root = await world.openRoot();
    refuse(world, childId, 'activation/ended');
    refuse(world, childId, 'notice/delivered');
    const child = await world.start(root.agent, { childId });
    await child.result;
    await world.rest();
    expect((await world.runtime.recover()).told).toEqual([childId]);
    expect(await world.typesOf(childId)).toEqual(expect.arrayContaining(['activation/ended', 'notice/delivered']));
    expect(await world.inserted(root.id)).toHaveLength(1);
    expect(await world.store.inner.pending()).toEqual([]);
  });
});

test('what is refused to a caller has not happened, and the next call is taken: prompt, message, start (R9)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  refuse(world, root.id, 'inbox/inserted');
  expect(await codeOf(root.prompt('one'))).toBe('STORE_FULL');
  expect((await root.ask('two')).stopReason).toBe('completed');
  world.store.inject({ at: { method: 'create' }, fault: 'reject', error: full });
  expect(await codeOf(world.start(root.agent, { childId }))).toBe('STORE_FULL');
  const child = await world.start(root.agent, { childId });
  await child.result;
  refuse(world, childId, 'inbox/inserted');
  const send = () => world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text: 'again' }]);
  expect(await codeOf(send())).toBe('STORE_FULL');
  await world.rest();
  expect(await codeOf(send())).toBe('done');
  await root.whenQuiet();
  expect(await world.inserted(childId)).toEqual(['go', 'again']);
});
