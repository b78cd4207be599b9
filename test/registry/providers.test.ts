import { expect, test } from 'vitest';
import { errorCode } from '../../src/errors.ts';
import type { SubagentCapabilities, SubagentProvider } from '../../src/providers/contract.ts';
import { spawnProvider } from '../../src/providers/spawn.ts';
import { gate } from '../support/gate.ts';
import { scriptedLocalProvider, scriptedProvider } from '../support/scripted-provider.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return errorCode(error) ?? `uncoded: ${String(error)}`;
  }
  return undefined;
}

test('a provider is found by its name until it is removed, and both are told (S7.1, S5.5)', () => {
  const { runtime, events } = openWorld();
  const remote = scriptedProvider();
  const remove = runtime.registerProvider(remote);
  expect(runtime.getProvider('remote')).toBe(remote);
  expect(runtime.list().map(({ name }) => name)).toEqual(['spawn', 'fork', 'remote']);
  remove();
  expect(runtime.getProvider('remote')).toBeUndefined();
  expect(runtime.list().map(({ name }) => name)).toEqual(['spawn', 'fork']);
  expect(events.all).toEqual([
    { type: 'subagent/provider-added', provider: 'remote' },
    { type: 'subagent/provider-removed', provider: 'remote' },
  ]);
});

test('a name that is taken is refused, and the first provider keeps it (S7.1)', () => {
  const { runtime, events } = openWorld();
  const first = scriptedProvider();
  runtime.registerProvider(first);
  expect(codeOf(() => runtime.registerProvider(scriptedProvider()))).toBe('DUPLICATE_PROVIDER');
  expect(runtime.getProvider('remote')).toBe(first);
  expect(events.of('subagent/provider-added')).toHaveLength(1);
});

test('a disposer removes its own registration and no later one, not even of the same provider (S7.1, P39)', () => {
  const { runtime, events } = openWorld();
  const remote = scriptedProvider();
  const removeFirst = runtime.registerProvider(remote);
  removeFirst();
  removeFirst();
  const removeSecond = runtime.registerProvider(remote);
  removeFirst();
  expect(runtime.getProvider('remote')).toBe(remote);
  removeSecond();
  const successor = scriptedProvider();
  runtime.registerProvider(successor);
  removeSecond();
  expect(runtime.getProvider('remote')).toBe(successor);
  expect(events.of('subagent/provider-removed')).toHaveLength(2);
});

const capabilities: SubagentCapabilities = { agentOptions: true, agentPreset: false, outputSchema: true, depthLimit: true };
const sound = { name: 'x', capabilities, inheritsParentContext: false, prepareContinuable: () => ({}) };

test.each<readonly [string, unknown, string]>([
  ['nothing', undefined, 'INVALID_ARGUMENT'],
  ['no name', { ...sound, name: '' }, 'INVALID_ARGUMENT'],
  ['no way to start a child', { ...sound, prepareContinuable: undefined }, 'UNSUPPORTED_CAPABILITY'],
  ['a way to start that is no function', { ...sound, prepareContinuable: null }, 'INVALID_ARGUMENT'],
  ['no capabilities', { ...sound, capabilities: undefined }, 'INVALID_ARGUMENT'],
  ['a capability that it says nothing about', { ...sound, capabilities: { agentOptions: true } }, 'INVALID_ARGUMENT'],
  ['no word on what its children see', { ...sound, inheritsParentContext: undefined }, 'INVALID_ARGUMENT'],
  [
    'route defaults without agent options',
    { ...sound, capabilities: { ...capabilities, agentOptions: false }, agentRouteDefaults: { provider: 'p', model: 'm' } },
    'UNSUPPORTED_CAPABILITY',
  ],
  [
    'presets on top of an inherited context',
    { ...sound, capabilities: { ...capabilities, agentPreset: true }, inheritsParentContext: true },
    'UNSUPPORTED_CAPABILITY',
  ],
])('a provider with %s is refused at registration (S7.1, S1.8)', (_, provider, code) => {
  const { runtime, events } = openWorld();
  expect(codeOf(() => runtime.registerProvider(provider as SubagentProvider))).toBe(code);
  expect(runtime.list()).toHaveLength(2);
  expect(events.all).toEqual([]);
});

test('removal touches no child that was accepted, local or external, and stops every new start (S7.1, P39, U-1)', async () => {
  const world = openWorld();
  const place = gate();
  const remote = scriptedProvider();
  const removals = [world.runtime.registerProvider(remote), world.runtime.registerProvider(spawnProvider({ name: 'own' }))];
  world.driver.script('worker', [waitsAt(place), says('done')], [says('again')]);
  const root = await world.openRoot();
  const local = await world.start(root.agent, { provider: 'own' });
  const external = await world.start(root.agent, { provider: 'remote', label: 'far' });
  await world.driver.turn('worker');
  for (const remove of removals) remove();

  await expect(world.start(root.agent, { provider: 'own' })).rejects.toMatchObject({ code: 'UNKNOWN_PROVIDER' });
  await expect(world.start(root.agent, { provider: 'remote' })).rejects.toMatchObject({ code: 'UNKNOWN_PROVIDER' });
  expect(world.live).toBe(2);
  place.open();
  remote.runs[0]?.settle({ output: [{ type: 'text', text: 'far away' }] });
  expect((await local.result).output).toEqual([{ type: 'text', text: 'done' }]);
  expect((await external.result).output).toEqual([{ type: 'text', text: 'far away' }]);
  expect(remote.runs[0]?.isGone).toBe(true);
  // a local child belongs to the runtime, not to the provider that seeded it
  await world.runtime.sendMessage(root.agent, local.childId, [{ type: 'text', text: 'more' }]);
  await world.driver.turn('worker', 2);
});

test('a start under way when its provider is removed was accepted, and comes to its end (S7.1)', async () => {
  const world = openWorld();
  const place = gate();
  const slow = scriptedLocalProvider(async () => {
    await place.pass();
    return {};
  });
  const remove = world.runtime.registerProvider(slow);
  const root = await world.openRoot();
  const starting = world.start(root.agent, { provider: 'local' });
  await place.reached;
  remove();
  place.open();
  expect((await (await starting).result).stopReason).toBe('completed');
});

test('a provider that left can come back under its name and start children again (P39)', async () => {
  const world = openWorld();
  const remote = scriptedProvider();
  world.runtime.registerProvider(remote)();
  world.runtime.registerProvider(remote);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { provider: 'remote' });
  remote.runs[0]?.settle();
  expect((await child.result).stopReason).toBe('completed');
});
