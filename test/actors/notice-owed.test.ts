/** S3.9, P01: a notice that cannot be delivered stays owed, and comes once. */
import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import type { SessionEventType } from '../../src/sessions/event.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const full = new SubagentError('STORE_FULL', 'no');
const append = (session: string, event: SessionEventType) => ({ method: 'append', session, event }) as const;

describe('a notice that cannot be delivered', () => {
  test.each([true, false])(
    'of an end whose fate in the log is unknown (really written: %s) comes once, as the log says (P01, S10.1, design ruling 7)',
    async (isDone) => {
      const world = openWorld();
      world.expectFaults('seal');
      world.store.inject({ at: append(childId, 'activation/ended'), fault: 'unknown', isDone });
      const root = await world.openRoot();
      const child = await world.start(root.agent, { childId });
      expect(await codeOf(child.result)).toBe('OUTCOME_UNKNOWN');
      await world.rest();
      await root.whenQuiet();
      expect((await world.runtime.recover()).told).toEqual([]);
      const told = (await world.logOf(root.id, 'inbox/inserted')).map(({ data }) => data.source);
      expect(told).toMatchObject([{ kind: 'subagent-settled', senderSessionId: childId, summary: 'worker ended: completed' }]);
    },
  );

  test('it stays owed in the log of the child, and comes once, with the next activation (P01, P15, S3.9)', async () => {
    const world = openWorld();
    world.expectFaults('notice');
    const root = await world.openRoot();
    world.store.inject({ at: append(root.id, 'inbox/inserted'), fault: 'reject', error: full });
    const child = await world.start(root.agent, { childId });
    expect((await child.result).stopReason).toBe('completed');
    expect(await world.inserted(root.id)).toEqual([]);
    expect((await world.store.inner.pending()).map(({ header, pending }) => [header.id, pending.hasUndeliveredNotice])).toEqual([
      [childId, true],
    ]);
    expect((await world.runtime.recover()).told).toEqual([childId]);
    expect((await world.runtime.recover()).told).toEqual([]);
    expect((await world.logOf(root.id, 'inbox/inserted')).map(({ data }) => data.messageId)).toEqual([`${childId}:1`]);
  });

  test('it is not told again when only the mark of its delivery was lost (P15)', async () => {
    const world = openWorld();
    world.expectFaults('notice');
    const root = await world.openRoot();
    world.store.inject({ at: append(childId, 'notice/delivered'), fault: 'reject', error: full });
    const child = await world.start(root.agent, { childId });
    await child.result;
    await world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text: 'again' }]);
    await world.gone(childId);
    await world.rest();
    const keys = (await world.logOf(root.id, 'inbox/inserted')).map(({ data }) => data.messageId);
    expect(keys).toEqual([`${childId}:1`, `${childId}:2`]);
  });

  const hosts: readonly (readonly [how: string, deliver: (world: World) => Promise<void> | void])[] = [
    [
      'throws',
      () => {
        throw new Error('host');
      },
    ],
    ['rejects', () => Promise.reject(new Error('host'))],
    ['hangs', () => new Promise(() => undefined)],
  ];
  test.each(hosts)(
    'a host whose deliver %s holds the child only for its bound; the outcome stands (S3.9, P24)',
    async (_, deliver) => {
      const world = openWorld();
      world.expectFaults('notice');
      const root = await world.attachRoot({ deliver: () => deliver(world) });
      const child = await world.start(root.agent, { childId });
      await world.advance(world.registry.limits.notifyMs);
      expect((await child.result).stopReason).toBe('completed');
      expect(await codeOf(child.dispose())).toBe('done');
      expect(world.live).toBe(0);
      expect((await world.store.inner.head(childId))?.owner).toBeUndefined();
      expect((await world.store.inner.pending()).map(({ header }) => header.id)).toEqual([childId]);
    },
  );
});
