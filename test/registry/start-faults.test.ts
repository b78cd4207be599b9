/** S1.6, S6.3: a start whose store fails, at each write and in each way. */
import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { openWorld } from '../support/world.ts';

const childId = toSessionId('child-1');
const entry = (session: string) => ({ method: 'append', session, event: 'subagent/child' }) as const;

describe('a start whose session cannot be created', () => {
  test.each(['STORE_FULL', 'STORE_FAILED', 'STORE_LOCKED', 'STORE_CLOSED'] as const)(
    'it rejects %s and leaves nothing (S1.6)',
    async (code) => {
      const world = openWorld();
      const root = await world.openRoot();
      world.store.inject({ at: { method: 'create' }, fault: 'reject', error: new SubagentError(code, 'no') });
      expect(await codeOf(world.start(root.agent, { childId }))).toBe(code);
      expect(world.live).toBe(0);
      expect(await world.hasSession(childId)).toBe(false);
      expect(await world.runtime.listChildren(root.id)).toEqual([]);
      expect(world.events.lives()).toEqual([]);
      const again = await world.start(root.agent, { childId });
      expect((await again.result).stopReason).toBe('completed');
    },
  );

  test.each([true, false])(
    'it takes the session back when nobody knows whether it was created (really created: %s) (S1.6)',
    async (isDone) => {
      const world = openWorld();
      const root = await world.openRoot();
      world.store.inject({ at: { method: 'create' }, fault: 'unknown', isDone });
      expect(await codeOf(world.start(root.agent, { childId }))).toBe('OUTCOME_UNKNOWN');
      expect(world.live).toBe(0);
      expect(await world.hasSession(childId)).toBe(false);
      expect(await world.runtime.listChildren(root.id)).toEqual([]);
      expect((await (await world.start(root.agent, { childId })).result).stopReason).toBe('completed');
    },
  );

  test('it makes an error of the library of one that is not', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    world.store.inject({ at: { method: 'create' }, fault: 'reject', error: new Error('EIO') });
    const starting = world.start(root.agent, { childId });
    await expect(starting).rejects.toBeInstanceOf(SubagentError);
    expect(await world.hasSession(childId)).toBe(false);
  });
});

describe('a start whose catalog entry cannot be written', () => {
  test.each(['STORE_FULL', 'STORE_FAILED', 'STORE_LOCKED'] as const)(
    'it disposes the child and rejects %s, and the parent lives on (S6.3)',
    async (code) => {
      const world = openWorld();
      const root = await world.openRoot();
      world.store.inject({ at: entry(root.id), fault: 'reject', error: new SubagentError(code, 'no') });
      expect(await codeOf(world.start(root.agent, { childId }))).toBe(code);
      expect(world.live).toBe(0);
      expect(world.isResident(childId)).toBe(false);
      expect(await world.hasSession(childId)).toBe(false);
      expect(await world.runtime.listChildren(root.id)).toEqual([]);
      expect(world.events.lives()).toEqual([]);
      expect((await (await world.start(root.agent, { childId })).result).stopReason).toBe('completed');
    },
  );

  test('it goes with a parent that was taken over: FENCED, and nothing of the child is left (S6.3, P20)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    await world.store.inner.claim(root.id, world.registry.owner); // a later claim fences the runtime out
    expect(await codeOf(world.start(root.agent, { childId }))).toBe('FENCED');
    await world.gone(root.id);
    expect(await world.hasSession(childId)).toBe(false);
    expect(await world.runtime.listChildren(root.id)).toEqual([]);
    expect(world.events.lives()).toEqual([]);
    expect(world.live).toBe(0);
  });

  test.each([true, false])(
    'it keeps the session when nobody knows whether it is listed (really listed: %s), held by nobody, for recovery to judge (S10.1)',
    async (isDone) => {
      const world = openWorld();
      const root = await world.openRoot();
      world.store.inject({ at: entry(root.id), fault: 'unknown', isDone });
      expect(await codeOf(world.start(root.agent, { childId }))).toBe('OUTCOME_UNKNOWN');
      await world.gone(root.id);
      expect(world.live).toBe(0);
      expect(world.events.lives()).toEqual([]);
      expect((await world.store.inner.head(childId))?.owner).toBeUndefined();
      expect((await world.store.inner.pending()).map(({ header }) => header.id)).toContain(childId);
      const again = await world.openRoot({ id: root.id });
      const report = await world.runtime.recover();
      expect(report).toMatchObject(isDone ? { resumed: [childId], removed: [] } : { resumed: [], removed: [childId] });
      await world.rest();
      expect(await world.hasSession(childId)).toBe(isDone);
      expect(world.driver.turnsOf('worker')).toHaveLength(isDone ? 1 : 0);
      await again.close();
    },
  );

  test('it counts as no child of its parent when it failed (S1.13)', async () => {
    const world = openWorld({ limits: { childrenPerAgent: 1 } });
    const root = await world.openRoot();
    world.store.inject({ at: entry(root.id), fault: 'reject', error: new SubagentError('STORE_FULL', 'no') });
    expect(await codeOf(world.start(root.agent, { childId }))).toBe('STORE_FULL');
    expect(await codeOf(world.start(root.agent, { childId }))).toBe('done');
    expect(await codeOf(world.start(root.agent))).toBe('CHILD_LIMIT_REACHED');
  });

  test('it leaves an undo that fails to recovery, and says so (S1.6)', async () => {
    const world = openWorld();
    world.expectFaults('undo of a start');
    const root = await world.openRoot();
    world.store.inject({ at: entry(root.id), fault: 'reject', error: new SubagentError('STORE_FULL', 'no') });
    world.store.inject({
      at: { method: 'remove', session: childId },
      fault: 'reject',
      error: new SubagentError('STORE_FULL', 'no'),
    });
    expect(await codeOf(world.start(root.agent, { childId }))).toBe('STORE_FULL');
    expect(world.live).toBe(0);
    expect((await world.runtime.recover()).removed).toEqual([childId]);
    expect(await world.hasSession(childId)).toBe(false);
    expect(world.driver.turnsOf('worker')).toEqual([]);
  });
});
