/** S1.6: the caller's signal when publication is under way or over. */
import { describe, expect, test } from 'vitest';
import type { SubagentActivation } from '../../src/providers/contract.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const childId = toSessionId('child-1');

describe('a start whose caller aborts while the catalog entry is written', () => {
  test('it leaves nothing when the entry is not written (S1.6)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const abort = new AbortController();
    const at = { method: 'append', session: root.id, event: 'subagent/child' } as const;
    world.store.inject({ at, fault: 'hang' });
    const starting = codeOf(world.start(root.agent, { childId, signal: abort.signal }));
    await world.store.reached(at);
    abort.abort();
    await world.rest();
    world.store.release(new Error('lost'));
    expect(await starting).toBe('CANCELLED');
    world.expectFaults(); // the parent's log is uncertain now, so the parent goes
    await world.rest();
    expect(world.live).toBe(0);
  });

  test('it is too late: the written entry publishes the child, which is then ended without a turn (S1.6)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const abort = new AbortController();
    const at = { method: 'append', session: root.id, event: 'subagent/child' } as const;
    world.store.inject({ at, fault: 'hang' });
    const starting = world.start(root.agent, { childId, signal: abort.signal, delivery: 'caller' });
    await world.store.reached(at);
    abort.abort();
    await world.rest();
    world.store.release();
    const child = await starting;
    expect(await child.result).toMatchObject({ stopReason: 'aborted', output: [] });
    expect(world.events.lives()).toEqual(['start worker', 'end worker aborted']);
    expect(await world.typesOf(childId)).toEqual([
      'subagent/descriptor',
      'inbox/inserted',
      'inbox/discarded',
      'activation/ended',
    ]);
    expect(world.driver.turnsOf('worker')).toEqual([]);
    expect((await world.store.inner.pending()).map(({ header }) => header.id)).toEqual([]);
  });

  test('it is closed in its log when the entry comes after the deadline, so that nothing runs it later (P24)', async () => {
    const world = openWorld({ limits: { appendMs: 60_000 } });
    const root = await world.openRoot();
    const at = { method: 'append', session: root.id, event: 'subagent/child' } as const;
    world.store.inject({ at, fault: 'hang' });
    const starting = codeOf(world.start(root.agent, { childId }));
    await world.store.reached(at);
    await world.advance(world.registry.limits.materializeMs);
    expect(await starting).toBe('TIMED_OUT');
    world.store.release();
    await world.rest();
    expect(await world.typesOf(childId)).toEqual([
      'subagent/descriptor',
      'inbox/inserted',
      'inbox/discarded',
      'activation/ended',
    ]);
    expect((await world.store.inner.head(childId))?.owner).toBeUndefined();
    expect(await world.store.inner.pending()).toEqual([]);
    expect(world.events.lives()).toEqual([]);
  });
});

describe('the signal of a start', () => {
  test('it has no power over a published child (S1.6)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script('worker', [waitsAt(place)]);
    const root = await world.openRoot();
    const abort = new AbortController();
    const child = await world.start(root.agent, { childId, signal: abort.signal });
    abort.abort();
    await place.reached;
    place.open();
    expect((await child.result).stopReason).toBe('completed');
  });

  test('at every moment it either leaves nothing, or the child is published; once published it has no power (S1.6)', async () => {
    const outcomes = new Set<string>();
    for (let moment = 0; moment < 80; moment++) {
      const world = openWorld();
      const root = await world.openRoot();
      const abort = new AbortController();
      let started: SubagentActivation | undefined;
      const starting = world.start(root.agent, { childId, signal: abort.signal, delivery: 'caller' }).then((child) => {
        started = child;
      });
      await passed(moment);
      const isPublished = !world.isResident(childId) || world.resident(childId).isOpened;
      abort.abort();
      const code = await codeOf(starting);
      const stopReason = (await started?.result)?.stopReason ?? 'none';
      outcomes.add(`${isPublished ? 'published' : 'not published'}: ${code}, ${stopReason}`);
      if (code === 'done') continue;
      expect(await world.hasSession(childId)).toBe(false);
      expect(await world.runtime.listChildren(root.id)).toEqual([]);
      expect(world.events.lives()).toEqual([]);
      expect(world.live).toBe(0);
    }
    expect([...outcomes].sort()).toEqual([
      'not published: CANCELLED, none',
      'not published: done, aborted', // the catalog entry was on its way
      'published: done, completed',
    ]);
  });
});

/** So many microtasks, and from 60 on so many rounds of the event loop: a database needs those. */
async function passed(moment: number): Promise<void> {
  for (let tick = 0; tick < Math.min(moment, 60); tick++) await Promise.resolve();
  for (let round = 60; round < moment; round++) await new Promise<void>((resolve) => setImmediate(resolve));
}
