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
});
