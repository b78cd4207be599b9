/** I2: what one sender sends to one agent arrives in its order, whatever state the agent is in. */
import { describe, expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { gate } from '../support/gate.ts';
import { says } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const childId = toSessionId('child-1');

describe('the order of one sender (I2)', () => {
  test.each(['before the start resolves', 'at once after it', 'in the first turn', 'after the end'])(
    'messages sent %s come behind the prompt and in their order (S3.2, P14)',
    async (when) => {
      const world = openWorld();
      const place = gate();
      world.driver.script('worker', [async () => (when === 'in the first turn' ? place.pass() : undefined), says('first')]);
      const root = await world.openRoot();
      const send = (text: string) => world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text }]);
      const starting = world.start(root.agent, { childId });
      const early = when === 'before the start resolves' ? ['1', '2', '3'].map(send) : [];
      const child = await starting;
      if (when === 'in the first turn') await place.reached;
      if (when === 'after the end') await child.result;
      await Promise.all(early.length > 0 ? early : ['1', '2', '3'].map(send));
      place.open();
      await child.result;
      await world.gone(childId);
      await world.rest();
      expect(await world.inserted(childId)).toEqual(['go', '1', '2', '3']);
      const claimed = (await world.logOf(childId, 'inbox/claimed')).flatMap(({ data }) => data.messageIds);
      expect(claimed).toEqual((await world.logOf(childId, 'inbox/inserted')).map(({ data }) => data.messageId));
    },
  );

  test('messages to a child in the store keep their order, however long each takes to find it (R3, S3.2)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await child.result;
    const { signal } = new AbortController();
    const send = (text: string, options = {}) =>
      world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text }], options);
    const sent = [send('1', { signal }), send('2'), send('3', { signal }), send('4')];
    await world.advance(1_000);
    await Promise.all(sent);
    await world.gone(childId);
    expect(await world.inserted(childId)).toEqual(['go', '1', '2', '3', '4']);
  });

  test('the prompts of a person keep their order, however long each takes to find the child (R3, S3.7)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await child.result;
    const { signal } = new AbortController();
    const prompt = (text: string, own?: AbortSignal) =>
      world.runtime.prompt(
        {
          ...{ parentId: root.id, childId, delivery: 'queue', requestId: text },
          content: [{ type: 'text', text }],
        } as const,
        own,
      );
    const sent = [prompt('1', signal), prompt('2'), prompt('3', signal)];
    await world.advance(1_000);
    await Promise.all(sent);
    await world.gone(childId);
    expect(await world.inserted(childId)).toEqual(['go', '1', '2', '3']);
  });

  test('one that is cancelled while it waits lets nobody pass those before it (R3)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await child.result;
    world.store.inject({ at: { method: 'children' }, fault: 'slow', ms: 500, clock: world.clock });
    const abort = new AbortController();
    const send = (text: string, options = {}) =>
      world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text }], options);
    const first = send('1');
    const second = send('2', { signal: abort.signal });
    const third = send('3');
    abort.abort();
    await expect(second).rejects.toMatchObject({ code: 'CANCELLED' });
    await world.advance(1_000);
    await Promise.all([first, third]);
    await world.gone(childId);
    expect(await world.inserted(childId)).toEqual(['go', '1', '3']);
  });
});
