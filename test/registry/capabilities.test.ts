/** S1.7, S1.8, K-3: what a provider can do is checked before anything exists. */
import { describe, expect, test } from 'vitest';
import { codeOf } from '../support/code-of.ts';
import { scriptedLocalProvider, scriptedProvider } from '../support/scripted-provider.ts';
import { openWorld, type StartSetup } from '../support/world.ts';

const options: readonly (readonly [flag: 'agentOptions' | 'agentPreset' | 'outputSchema' | 'depthLimit', asked: StartSetup])[] = [
  ['agentOptions', { agentOptions: { model: 'm' } }],
  ['agentPreset', { agentPreset: 'scout' }],
  ['outputSchema', { outputSchema: { type: 'object' } }],
  ['depthLimit', { maxDepth: 3 }],
];

describe.each(options)('the capability %s', (flag, asked) => {
  test.each(['local', 'remote'] as const)(
    'a %s provider without it refuses the option before anything is created (S1.7)',
    async (kind) => {
      const world = openWorld({ presets: {} });
      const remote = scriptedProvider({ capabilities: { [flag]: false } });
      const local = scriptedLocalProvider(() => ({}), { capabilities: { [flag]: false } });
      world.runtime.registerProvider(remote);
      world.runtime.registerProvider(local);
      const root = await world.openRoot();
      const { writes } = world.store;
      expect(await codeOf(world.start(root.agent, { provider: kind, ...asked }))).toBe('UNSUPPORTED_CAPABILITY');
      expect(world.store.writes).toBe(writes);
      expect(remote.requests.length + local.requests.length).toBe(0);
      expect(world.live).toBe(0);
      expect(world.events.lives()).toEqual([]);
      expect(world.events.of('agent/inbox/inserted')).toEqual([]);
    },
  );

  test('a provider with it gets the option (S1.7)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    await world.start(root.agent, { provider: 'remote', ...asked });
    expect(remote.requests[0]).toMatchObject(asked);
  });

  test('a provider without it starts when the option is not asked for, and is not sent one (S1.7)', async () => {
    const world = openWorld();
    const remote = scriptedProvider({ capabilities: { [flag]: false } });
    world.runtime.registerProvider(remote);
    const root = await world.openRoot({ options: { model: 'parent-model' } });
    await world.start(root.agent, { provider: 'remote' });
    const option = flag === 'depthLimit' ? 'maxDepth' : flag;
    expect(Object.keys(remote.requests[0] ?? {})).not.toContain(option);
  });
});

describe('registerProvider', () => {
  test('it refuses a provider that can start neither kind (S1.8)', async () => {
    const world = openWorld();
    const { start: _, ...empty } = scriptedProvider();
    expect(await codeOf(() => world.runtime.registerProvider({ ...empty, name: 'empty' }))).toBe('UNSUPPORTED_CAPABILITY');
    expect(world.runtime.getProvider('empty')).toBeUndefined();
    expect(world.events.of('subagent/provider-added').map(({ provider }) => provider)).not.toContain('empty');
  });

  test('it makes local children with one that has prepareContinuable, also if it has start too (S1.8)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    world.runtime.registerProvider({ ...remote, name: 'both', prepareContinuable: () => ({}) });
    const root = await world.openRoot();
    const child = await world.start(root.agent, { provider: 'both' });
    expect(child.messageId).toBeDefined();
    expect(remote.requests).toEqual([]);
    expect(world.events.of('subagent/start')).toMatchObject([{ provider: 'both', local: true }]);
  });

  test('it makes external children with one that has only start (S1.8)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { provider: 'remote' });
    await world.rest();
    expect(child.messageId).toBeUndefined();
    expect(await world.hasSession(child.childId)).toBe(false);
    expect(world.events.of('subagent/start')).toMatchObject([{ provider: 'remote', local: false, id: 'remote-1' }]);
  });

  test('it refuses a preset to a provider whose children see the parent’s conversation (S1.11)', async () => {
    const world = openWorld({ presets: {} });
    const seeing = scriptedLocalProvider(() => ({}), { inheritsParentContext: true, capabilities: { agentPreset: true } });
    expect(await codeOf(() => world.runtime.registerProvider(seeing))).toBe('UNSUPPORTED_CAPABILITY');
    const root = await world.openRoot();
    expect(await codeOf(world.start(root.agent, { provider: 'fork', agentPreset: 'scout' }))).toBe('UNSUPPORTED_CAPABILITY');
  });

  test('a start by a name that nobody has is refused (S1.1)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    expect(await codeOf(world.start(root.agent, { provider: 'nobody' }))).toBe('UNKNOWN_PROVIDER');
    expect(world.live).toBe(0);
  });
});
