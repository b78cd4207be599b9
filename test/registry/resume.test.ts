/** S3.6: a cold resume authorises twice, folds the child's own descriptor, and needs no provider. */
import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import type { NewSessionEvent, SessionHeader } from '../../src/sessions/event.ts';
import { type MessageId, toSessionId } from '../../src/sessions/ids.ts';
import { memoryStore } from '../../src/sessions/stores/memory.ts';
import { codeOf } from '../support/code-of.ts';
import { scriptedLocalProvider } from '../support/scripted-provider.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'again' }] as const;

/** A root with one child that has ended. */
async function cold(world: World = openWorld(), setup = {}) {
  const root = await world.openRoot();
  await (await world.start(root.agent, { childId, ...setup })).result;
  await world.rest();
  return { world, root };
}

/** Puts a child session into the store and the root's catalog, as it is. */
async function plant(world: World, rootId: string, header: Partial<SessionHeader>, events: readonly unknown[]) {
  const whole = {
    ...{ version: 1, id: childId, createdAt: 0, cwd: '/project', project: '/project', parentSession: rootId, origin: 'subagent' },
    ...{ delegationDepth: 1, isSeeded: false, inheritedEvents: 0, ...header },
  } as SessionHeader;
  const { epoch } = await world.store.inner.create(whole, 'planter', events as NewSessionEvent[]);
  await world.store.inner.handBack(childId, epoch);
  const label = (events as NewSessionEvent[]).findLast(({ type }) => type === 'subagent/descriptor')?.data as { label: string };
  const entry = { id: childId, mode: 'continuable', createdAt: 0, ...(label !== undefined && { label: label.label }) } as const;
  await world.resident(rootId).session?.append([{ type: 'subagent/child', time: 0, data: entry }]);
}

const descriptor = (data: object) => ({ type: 'subagent/descriptor', time: 0, data });
const good = { version: 1, provider: 'spawn', mode: 'continuable', label: 'worker', agentOptions: {} };

describe('authority (S3.6)', () => {
  test.each([
    ['another parent', { parentSession: toSessionId('somebody') }, ['header', 'catalog']],
    ['no parent', { parentSession: undefined }, ['header', 'birth', 'catalog']],
    ['another origin', { origin: undefined }, ['header']],
  ] as const)(
    'a header that names %s is refused before anything is claimed, though the catalog lists the child (S3.6)',
    async (_, header, broken) => {
      const world = openWorld();
      world.expectTraceProblems(...broken);
      const root = await world.openRoot();
      await plant(world, root.id, header as never, [descriptor(good)]);
      expect(await codeOf(world.runtime.sendMessage(root.agent, childId, hello))).toBe('UNAUTHORIZED');
      expect((await world.store.inner.head(childId))?.epoch).toBe(1);
      expect(world.live).toBe(0);
    },
  );

  test('a session that is no child of the sender is refused, though it exists (S3.6, S3.1)', async () => {
    const world = openWorld();
    await cold(world);
    const other = await world.openRoot();
    expect(await codeOf(world.runtime.sendMessage(other.agent, childId, hello))).toBe('UNAUTHORIZED');
  });

  test('it is judged again at the last moment: a sender that leaves while the child is read or opened delivers nothing (S3.6)', async () => {
    for (const method of ['children', 'head', 'read', 'claim'] as const) {
      const { world, root } = await cold();
      const at = { method, session: method === 'children' ? root.id : childId } as const;
      world.store.inject({ at, fault: 'hang' });
      const sending = codeOf(world.runtime.sendMessage(root.agent, childId, hello));
      await world.store.reached(at);
      const closing = root.close();
      await world.rest();
      world.store.release();
      expect(['UNAUTHORIZED', 'DRAINING'], method).toContain(await sending);
      await closing;
      expect(await world.inserted(childId), method).toEqual(['go']);
      expect((await world.store.inner.head(childId))?.owner, method).toBeUndefined();
      expect(world.live, method).toBe(0);
      await world.close();
    }
  });
});

describe('the descriptor (S3.6, S6.5)', () => {
  test('a child without one cannot be continued (S3.6)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    await plant(world, root.id, {}, []);
    expect(await codeOf(world.runtime.sendMessage(root.agent, childId, hello))).toBe('NOT_RESUMABLE');
    expect(world.live).toBe(0);
  });

  test('one that came with a fork seed is the donor’s and never the child’s (S3.6)', async () => {
    const world = openWorld();
    world.expectTraceProblems('seed', 'birth');
    const root = await world.openRoot();
    const seed = descriptor({ ...good, label: 'donor', agentOptions: { model: 'donor' } });
    await plant(world, root.id, { isSeeded: true, inheritedEvents: 1 }, [
      seed,
      descriptor({ ...good, label: 'own', agentOptions: { model: 'own' } }),
    ]);
    await world.runtime.sendMessage(root.agent, childId, hello);
    expect((await world.driver.turn('own')).options).toEqual({ model: 'own' });
  });

  test('one of a seed alone counts as none (S3.6)', async () => {
    const world = openWorld();
    world.expectTraceProblems('seed');
    const root = await world.openRoot();
    await plant(world, root.id, { isSeeded: true, inheritedEvents: 1 }, [descriptor(good)]);
    expect(await codeOf(world.runtime.sendMessage(root.agent, childId, hello))).toBe('NOT_RESUMABLE');
  });
});

describe('the way back (S3.6)', () => {
  test('it goes through no provider: one that is gone is not missed, one that is there is not asked (S3.6)', async () => {
    const world = openWorld();
    const provider = scriptedLocalProvider(() => ({}));
    const remove = world.runtime.registerProvider(provider);
    const { root } = await cold(world, { provider: 'local' });
    await world.runtime.sendMessage(root.agent, childId, hello);
    await world.driver.turn('worker', 2);
    await world.gone(childId);
    remove();
    await world.runtime.sendMessage(root.agent, childId, hello);
    await world.driver.turn('worker', 3);
    expect(provider.requests).toHaveLength(1);
    await world.gone(childId);
    expect(world.events.of('subagent/start').map(({ provider: name }) => name)).toEqual(['local', 'local', 'local']);
  });

  test('a stored depth is kept, and one that does not say counts as 0 (S1.12)', async () => {
    for (const [stored, depth] of [
      [2, 2],
      [undefined, 0],
    ]) {
      const world = openWorld({ store: (clock) => memoryStore({ clock }) }); // a database wants a depth
      world.expectTraceProblems('birth', ...(stored === undefined ? [] : (['header'] as const)));
      const root = await world.openRoot();
      await plant(world, root.id, { delegationDepth: stored } as never, [descriptor(good)]);
      await world.runtime.sendMessage(root.agent, childId, hello);
      expect((await world.driver.turn('worker')).agent.depth).toBe(depth);
    }
  });

  test('it works after a restart, for the reopened parent (S3.2, P16)', async () => {
    const first = await cold();
    await first.world.close();
    const world = openWorld({ store: () => first.world.store.inner, clock: first.world.clock });
    const root = await world.openRoot({ id: first.root.id });
    await world.runtime.sendMessage(root.agent, childId, hello);
    const turn = await world.driver.turn('worker');
    expect(turn.prompts).toEqual(['go', `Agent ${root.id} sent a message:\nagain`]);
    expect(turn.agent).toMatchObject({ id: childId, depth: 1, label: 'worker', cwd: '/project' });
  });

  test('options that the driver cannot run with any more are a typed mismatch, and the child stays as it was (P16, P17)', async () => {
    const { world, root } = await cold();
    world.driver.onValidate = () => {
      throw new Error('model retired');
    };
    const sending = world.runtime.sendMessage(root.agent, childId, hello);
    await expect(sending).rejects.toMatchObject({ code: 'RESUME_MISMATCH', cause: { message: 'model retired' } });
    expect((await world.store.inner.head(childId))?.epoch).toBe(1);
    expect(world.events.of('subagent/start')).toHaveLength(1);
    expect(world.live).toBe(0);
  });

  test.each(['children', 'head', 'read', 'claim'] as const)(
    'a store that fails at %s is told with its own code, and nothing is left taken (P17, P22)',
    async (method) => {
      const { world, root } = await cold();
      const session = method === 'children' ? root.id : childId;
      world.store.inject({ at: { method, session }, fault: 'reject', error: new SubagentError('STORE_FAILED', 'no') });
      expect(await codeOf(world.runtime.sendMessage(root.agent, childId, hello))).toBe('STORE_FAILED');
      expect(world.live).toBe(0);
      expect(await codeOf(world.runtime.sendMessage(root.agent, childId, hello))).toBe('done');
      expect(await world.inserted(childId)).toEqual(['go', 'again']);
    },
  );

  test('a message that cannot be written leaves the child idle, to end by itself (P22)', async () => {
    const { world, root } = await cold();
    world.store.inject({
      at: { method: 'append', session: childId, event: 'inbox/inserted' },
      fault: 'reject',
      error: new SubagentError('STORE_FULL', 'no'),
    });
    expect(await codeOf(world.runtime.sendMessage(root.agent, childId, hello))).toBe('STORE_FULL');
    await world.gone(childId);
    expect(world.driver.turnsOf('worker')).toHaveLength(1);
    expect(world.live).toBe(0);
  });

  test('mail that was left in the log comes first, and in its order (S3.5, P13)', async () => {
    const world = openWorld();
    world.expectTraceProblems('birth');
    const root = await world.openRoot();
    const message = (id: string) => ({
      type: 'inbox/inserted',
      time: 0,
      data: {
        messageId: id as MessageId,
        lane: 'turn',
        wakes: true,
        source: { kind: 'user', form: 'prompt' },
        content: [{ type: 'text', text: id }],
      },
    });
    await plant(world, root.id, {}, [descriptor(good), message('a'), message('b')]);
    await world.runtime.sendMessage(root.agent, childId, hello);
    await world.gone(childId);
    expect(world.driver.turnsOf('worker').flatMap(({ input }) => input.map(({ content }) => content))).toMatchObject([
      [{ text: 'a' }],
      [{ text: 'b' }],
      [{ text: 'again' }],
    ]);
  });

  test('it is bounded: a claim that does not come back gives up, and is handed back when it comes (P24)', async () => {
    const { world, root } = await cold();
    const at = { method: 'claim', session: childId } as const;
    world.store.inject({ at, fault: 'hang' });
    const sending = codeOf(world.runtime.sendMessage(root.agent, childId, hello));
    await world.store.reached(at);
    await world.advance(world.registry.limits.materializeMs);
    expect(await sending).toBe('TIMED_OUT');
    expect(world.live).toBe(0);
    world.store.release();
    await world.rest();
    expect((await world.store.inner.head(childId))?.owner).toBeUndefined();
    expect(await world.inserted(childId)).toEqual(['go']);
  });
});
