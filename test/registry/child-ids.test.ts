/** S1.9, Q-1: ids are unique, and the first to have one keeps it. */
import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { scriptedLocalProvider, scriptedProvider } from '../support/scripted-provider.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const childId = toSessionId('child-1');

describe('a reserved id', () => {
  test('it is refused while a child with it runs, which goes on undisturbed (S1.9, Q-1)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script('worker', [waitsAt(place), says('mine')]);
    const root = await world.openRoot();
    const first = await world.start(root.agent, { childId });
    await place.reached;
    expect(await codeOf(world.start(root.agent, { childId, label: 'other' }))).toBe('DUPLICATE_CHILD');
    place.open();
    expect(await first.result).toMatchObject({ output: [{ text: 'mine' }] });
    expect(await world.inserted(childId)).toEqual(['go']);
    expect(await world.runtime.listChildren(root.id)).toHaveLength(1);
  });

  test('it goes to exactly one of two starts that ask for it at once (S1.9, Q-1)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const codes = await Promise.all([codeOf(world.start(root.agent, { childId })), codeOf(world.start(root.agent, { childId }))]);
    expect(codes).toEqual(['done', 'DUPLICATE_CHILD']);
    expect(await world.runtime.listChildren(root.id)).toHaveLength(1);
  });

  test('it goes to one of two parents that ask for it at once (S1.9)', async () => {
    const world = openWorld();
    const [one, other] = [await world.openRoot(), await world.openRoot()];
    const codes = await Promise.all([codeOf(world.start(one.agent, { childId })), codeOf(world.start(other.agent, { childId }))]);
    expect(codes).toEqual(['done', 'DUPLICATE_CHILD']);
    expect(await world.runtime.listChildren(other.id)).toEqual([]);
  });

  test('it is refused when a session in the store has it, and that session stays as it was (S1.9)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    await (await world.start(root.agent, { childId })).result;
    const before = await world.log(childId);
    expect(await codeOf(world.start(root.agent, { childId }))).toBe('DUPLICATE_CHILD');
    expect(await codeOf(world.start(root.agent, { childId: root.id }))).toBe('DUPLICATE_CHILD');
    expect(await world.log(childId)).toEqual(before);
    expect(await world.runtime.listChildren(root.id)).toHaveLength(1);
    expect(world.live).toBe(0);
  });

  test('it is refused when another runtime on the store has a session with it (S1.9)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const header = {
      version: 1,
      id: childId,
      createdAt: 0,
      cwd: '/',
      project: '/',
      delegationDepth: 0,
      isSeeded: false,
      inheritedEvents: 0,
    } as const;
    await world.store.inner.create(header, 'somebody', []);
    expect(await codeOf(world.start(root.agent, { childId }))).toBe('DUPLICATE_CHILD');
    expect((await world.store.inner.head(childId))?.owner).toBe('somebody');
  });

  test('it is refused for an external child, never ignored (S1.9)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    expect(await codeOf(world.start(root.agent, { provider: 'remote', childId }))).toBe('UNSUPPORTED_CAPABILITY');
    expect(remote.requests).toEqual([]);
  });

  test('it is refused when an external child has or had it (S1.9)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    remote.plan({ id: childId });
    const root = await world.openRoot();
    const external = await world.start(root.agent, { provider: 'remote' });
    expect(await codeOf(world.start(root.agent, { childId }))).toBe('DUPLICATE_CHILD');
    (await remote.run()).settle();
    await external.result;
    expect(await codeOf(world.start(root.agent, { childId }))).toBe('DUPLICATE_CHILD');
    expect(await world.hasSession(childId)).toBe(false);
  });
});

describe('the id of an external child', () => {
  const remoteWorld = async (id: string) => {
    const world = openWorld();
    const remote = scriptedProvider();
    const other = scriptedProvider({ name: 'other' });
    world.runtime.registerProvider(remote);
    world.runtime.registerProvider(other);
    other.plan({ id });
    const root = await world.openRoot();
    return { world, remote, other, root };
  };

  test.each(['live', 'ended'])(
    'it is refused when another external child that is %s has it, of whatever parent and provider (S1.9)',
    async (state) => {
      const { world, remote, other, root } = await remoteWorld('same');
      remote.plan({ id: 'same' });
      const first = await world.start(root.agent, { provider: 'remote' });
      if (state === 'ended') (await remote.run()).settle();
      if (state === 'ended') await first.result;
      const second = await world.openRoot();
      expect(await codeOf(world.start(second.agent, { provider: 'other' }))).toBe('DUPLICATE_CHILD');
      expect(await other.run()).toMatchObject({ disposals: 1, isGone: true });
      expect((await remote.run()).disposals).toBe(state === 'ended' ? 1 : 0);
      expect(world.live).toBe(state === 'ended' ? 0 : 1);
      expect(await world.runtime.listChildren(second.id)).toEqual([]);
      expect(world.events.of('subagent/start').map(({ provider }) => provider)).toEqual(['remote']);
    },
  );

  test.each(['live', 'stored'])('it is refused when a local session that is %s has it (S1.9)', async (state) => {
    const { world, other, root } = await remoteWorld(childId);
    const place = gate();
    if (state === 'live') world.driver.script('worker', [waitsAt(place)]);
    const local = await world.start(root.agent, { childId });
    if (state === 'stored') await local.result;
    expect(await codeOf(world.start(root.agent, { provider: 'other' }))).toBe('DUPLICATE_CHILD');
    expect(await other.run()).toMatchObject({ disposals: 1, isGone: true });
    place.open();
    expect((await local.result).stopReason).toBe('completed');
  });

  test('it is refused when the parent’s catalog has it from an earlier process (S1.9)', async () => {
    const first = openWorld();
    const remote = scriptedProvider();
    remote.plan({ id: 'same', result: { output: [], stopReason: 'completed' } });
    first.runtime.registerProvider(remote);
    const root = await first.openRoot();
    await (await first.start(root.agent, { provider: 'remote' })).result;
    await first.close();
    const second = openWorld({ store: () => first.store.inner, clock: first.clock });
    const again = scriptedProvider();
    again.plan({ id: 'same' });
    second.runtime.registerProvider(again);
    const reopened = await second.openRoot({ id: root.id });
    expect(await codeOf(second.start(reopened.agent, { provider: 'remote' }))).toBe('DUPLICATE_CHILD');
    expect((await again.run()).isGone).toBe(true);
    expect(await codeOf(second.start(reopened.agent, { childId: toSessionId('same') }))).toBe('DUPLICATE_CHILD');
    expect(await second.hasSession('same')).toBe(false);
  });

  test.each(['', 'x'.repeat(257), 7, undefined])(
    'it is refused when it is no id (%j), and the run is disposed (S1.9)',
    async (id) => {
      const { world, remote, root } = await remoteWorld('x');
      remote.plan({ id: id as string });
      const start = remote.start?.bind(remote);
      world.runtime.registerProvider({
        ...remote,
        name: 'bad',
        start: async (request) => Object.assign((await start?.(request)) ?? {}, { id }) as never,
      });
      expect(await codeOf(world.start(root.agent, { provider: 'bad' }))).toBe('PROVIDER_FAILED');
      expect((await remote.run()).isGone).toBe(true);
      expect(world.live).toBe(0);
    },
  );

  test.each(['rejects', 'throws'])(
    'a collision is refused by its own name also when the disposal of the run %s (S1.9)',
    async (how) => {
      const { world, remote, other, root } = await remoteWorld('unused');
      world.expectFaults('provider');
      remote.plan(
        { id: 'same' },
        { id: 'same', ...(how === 'throws' ? { disposeThrows: new Error('no') } : { disposeError: new Error('no') }) },
      );
      await world.start(root.agent, { provider: 'remote' });
      expect(await codeOf(world.start(root.agent, { provider: 'remote' }))).toBe('DUPLICATE_CHILD');
      expect(other.requests).toEqual([]);
      expect(world.live).toBe(1);
    },
  );

  test('a collision is refused by its own name also when the disposal of the run hangs (S1.9, P24)', async () => {
    const { world, remote, root } = await remoteWorld('unused');
    remote.plan({ id: 'same' }, { id: 'same', disposeAt: gate() });
    await world.start(root.agent, { provider: 'remote' });
    const second = codeOf(world.start(root.agent, { provider: 'remote' }));
    await world.advance(world.registry.limits.materializeMs);
    expect(await second).toBe('DUPLICATE_CHILD');
    expect(world.live).toBe(1);
  });
});

test('names are only for people: two children named alike are told apart by id (Q-1)', async () => {
  const world = openWorld();
  const place = gate();
  world.driver.script('twin', [waitsAt(place), says('first')], [waitsAt(place), says('second')]);
  const root = await world.openRoot();
  const [one, other] = [await world.start(root.agent, { label: 'twin' }), await world.start(root.agent, { label: 'twin' })];
  expect(one.childId).not.toBe(other.childId);
  await world.driver.turn('twin', 2);
  await world.runtime.sendMessage(root.agent, other.childId, [{ type: 'text', text: 'for the second' }]);
  expect(await codeOf(world.runtime.sendMessage(root.agent, 'twin', [{ type: 'text', text: 'by name' }]))).toBe('UNAUTHORIZED');
  place.open();
  await Promise.all([one.result, other.result]);
  expect(await world.inserted(one.childId)).toEqual(['go']);
  expect(await world.inserted(other.childId)).toEqual(['go', 'for the second']);
});

test('a name that was used before reaches nobody old: the third child is a new one, and the first keeps its own mail (Q-1)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  const first = await world.start(root.agent, { label: 'twin' });
  await first.result;
  const third = await world.start(root.agent, { label: 'twin' });
  await third.result;
  await world.runtime.sendMessage(root.agent, third.childId, [{ type: 'text', text: 'for the third' }]);
  await world.gone(third.childId);
  expect(await world.inserted(first.childId)).toEqual(['go']);
  expect(await world.inserted(third.childId)).toEqual(['go', 'for the third']);
});

test('a start that the store refuses as existing is told as a duplicate with the store’s word as its cause', async () => {
  const world = openWorld();
  world.runtime.registerProvider(scriptedLocalProvider(() => ({})));
  const root = await world.openRoot();
  world.store.inject({ at: { method: 'create' }, fault: 'reject', error: new SubagentError('SESSION_EXISTS', 'there') });
  await expect(world.start(root.agent, { provider: 'local' })).rejects.toMatchObject({
    code: 'DUPLICATE_CHILD',
    cause: { code: 'SESSION_EXISTS' },
  });
});
