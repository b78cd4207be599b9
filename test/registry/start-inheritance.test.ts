/** S1.10, S1.11, S1.14: what a child gets from its parent, and what of its own. */
import { describe, expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { scriptedDriver } from '../support/scripted-driver.ts';
import { scriptedLocalProvider, scriptedProvider } from '../support/scripted-provider.ts';
import { ends } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'again' }] as const;

describe('the directory of a child (S1.10)', () => {
  test.each([
    ['sub/dir', '/project/sub/dir'],
    ['../side', '/side'],
    ['.', '/project'],
    ['/else/./where', '/else/where'],
    [undefined, '/project'],
  ])('it is %s resolved against that of the parent: %s (S1.10, P36)', async (cwd, expected) => {
    const world = openWorld();
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    const given = cwd === undefined ? {} : { cwd };
    await (await world.start(root.agent, { childId, ...given })).result;
    await world.start(root.agent, { provider: 'remote', ...given });
    expect((await world.store.inner.head(childId))?.header).toMatchObject({ cwd: expected, project: '/project' });
    expect(world.driver.turnsOf('worker')[0]?.cwd).toBe(expected);
    expect(world.driver.turnsOf('worker')[0]?.turn.header.cwd).toBe(expected);
    expect(remote.requests[0]?.cwd).toBe(expected);
    expect(root.agent.cwd).toBe('/project');
  });

  test('it is the one that the parent is in at admission, whatever the parent does while the child is made (S1.10)', async () => {
    const world = openWorld();
    let cwd = '/first';
    const seen: string[] = [];
    world.runtime.registerProvider(
      scriptedLocalProvider(async ({ cwd: given }) => {
        seen.push(given);
        cwd = '/second';
        return {};
      }),
    );
    const root = await world.openRoot({ cwd: () => cwd });
    const child = await world.start(root.agent, { provider: 'local', childId });
    await child.result;
    await (await world.start(root.agent, { provider: 'local', cwd: 'sub', label: 'later' })).result;
    expect(seen).toEqual(['/first', '/second/sub']);
    expect(world.driver.turnsOf('worker')[0]?.cwd).toBe('/first');
  });

  test('it is relative to a nested parent’s own directory, and the project stays that of the root (S1.10)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    world.driver.script('middle', [
      async (turn) => {
        await (await world.start(turn.agent, { cwd: 'leaf', childId, delivery: 'caller' })).result;
      },
    ]);
    await (await world.start(root.agent, { label: 'middle', cwd: 'mid' })).result;
    expect((await world.store.inner.head(childId))?.header).toMatchObject({
      cwd: '/project/mid/leaf',
      project: '/project',
      delegationDepth: 2,
    });
  });

  test('it is the recorded one after a cold resume, though the parent has moved (S1.10, P16)', async () => {
    const world = openWorld();
    let cwd = '/first';
    const root = await world.openRoot({ cwd: () => cwd });
    await (await world.start(root.agent, { childId, cwd: 'sub' })).result;
    cwd = '/second';
    await world.runtime.sendMessage(root.agent, childId, hello);
    expect((await world.driver.turn('worker', 2)).cwd).toBe('/first/sub');
  });
});

describe('the composition of a child (S1.11)', () => {
  const scoutDriver = scriptedDriver('scout driver');
  const presets = { scout: { driver: scoutDriver, instructions: 'scout', options: { model: 'scout-model' } } };

  test('it is the parent’s of now when no preset is named, for spawn and fork (S1.11)', async () => {
    const world = openWorld({ presets });
    const root = await world.openRoot({ composition: { driver: world.driver, instructions: 'as the parent' } });
    for (const provider of ['spawn', 'fork']) await (await world.start(root.agent, { provider })).result;
    expect(world.driver.turnsOf('worker').map(({ turn }) => turn.instructions)).toEqual(['as the parent', 'as the parent']);
  });

  test('it is the preset’s, with the preset’s options and not the parent’s, and is recorded (S1.11)', async () => {
    const world = openWorld({ presets });
    const root = await world.openRoot({ options: { model: 'parent-model', reasoningEffort: 'high' } });
    await (await world.start(root.agent, { agentPreset: 'scout', childId, label: 'preset' })).result;
    const [turn] = scoutDriver.turnsOf('preset');
    expect(turn).toMatchObject({ options: { model: 'scout-model' }, turn: { instructions: 'scout' } });
    expect(turn?.options).not.toHaveProperty('reasoningEffort');
    expect((await world.store.inner.head(childId))?.header.agentPreset).toBe('scout');
    expect((await world.logOf(childId, 'subagent/descriptor'))[0]?.data).toMatchObject({
      agentPreset: 'scout',
      agentOptions: { model: 'scout-model' },
    });
  });

  test('it comes back with the preset after a cold resume, and not at all when the preset has gone (S1.11, P16)', async () => {
    const first = openWorld({ presets });
    const root = await first.openRoot();
    await (await first.start(root.agent, { agentPreset: 'scout', childId, label: 'returning' })).result;
    await first.runtime.sendMessage(root.agent, childId, hello);
    await scoutDriver.turn('returning', 2);
    await first.close();
    const second = openWorld({ store: () => first.store.inner, clock: first.clock });
    const reopened = await second.openRoot({ id: root.id });
    expect(await codeOf(second.runtime.sendMessage(reopened.agent, childId, hello))).toBe('RESUME_MISMATCH');
    expect(second.live).toBe(0);
    expect(await second.inserted(childId)).toEqual(['go', 'again']);
  });

  test('it is refused when nobody knows the preset, before anything exists (S1.11)', async () => {
    const world = openWorld({ presets });
    const root = await world.openRoot();
    const { writes } = world.store;
    expect(await codeOf(world.start(root.agent, { agentPreset: 'nobody' }))).toBe('UNKNOWN_PRESET');
    expect(await codeOf(world.start(root.agent, { agentPreset: 'toString' }))).toBe('UNKNOWN_PRESET');
    expect(world.store.writes).toBe(writes);
  });

  test('it must come from a preset when the host runs the parent and gave none for children (S1.11)', async () => {
    const world = openWorld({ presets });
    const bare = await world.runtime.attachAgent({ cwd: '/project', deliver: () => undefined });
    expect(await codeOf(world.start(bare.agent))).toBe('UNSUPPORTED_CAPABILITY');
    expect(await (await world.start(bare.agent, { agentPreset: 'scout', label: 'for a host' })).result).toMatchObject({
      stopReason: 'completed',
    });
  });
});

describe('the options of a child (S1.14)', () => {
  const overrides = { model: 'child-model', maxTokens: 100 };

  test('they are the parent’s, overridden key by key, recorded, and the same after a cold resume (S1.14, P16)', async () => {
    const world = openWorld();
    const root = await world.openRoot({
      composition: { driver: world.driver, options: { provider: 'p', model: 'composition-model' } },
      options: { model: 'parent-model', reasoningEffort: 'high' },
    });
    await (await world.start(root.agent, { childId, agentOptions: overrides })).result;
    const expected = { provider: 'p', model: 'child-model', reasoningEffort: 'high', maxTokens: 100 };
    expect(world.driver.turnsOf('worker')[0]?.options).toEqual(expected);
    expect((await world.logOf(childId, 'subagent/descriptor'))[0]?.data.agentOptions).toEqual(expected);
    await world.runtime.sendMessage(root.agent, childId, hello);
    expect((await world.driver.turn('worker', 2)).options).toEqual(expected);
  });

  test('they go over the provider’s route defaults instead of the parent’s where it has some (S1.14)', async () => {
    const world = openWorld();
    const agentRouteDefaults = { provider: 'far', model: 'far-model' };
    const remote = scriptedProvider({ agentRouteDefaults });
    world.runtime.registerProvider(remote);
    const root = await world.openRoot({ options: { model: 'parent-model', reasoningEffort: 'high' } });
    await world.start(root.agent, { provider: 'remote' });
    await world.start(root.agent, { provider: 'remote', agentOptions: overrides });
    expect(remote.requests.map(({ agentOptions }) => agentOptions)).toEqual([
      agentRouteDefaults,
      { provider: 'far', model: 'child-model', maxTokens: 100 },
    ]);
  });

  test('route defaults stay what they were at registration (S1.14)', async () => {
    const world = openWorld();
    const agentRouteDefaults = { provider: 'far', model: 'far-model' };
    const remote = scriptedProvider({ agentRouteDefaults });
    world.runtime.registerProvider(remote);
    agentRouteDefaults.model = 'changed';
    const root = await world.openRoot();
    await world.start(root.agent, { provider: 'remote' });
    expect(remote.requests[0]?.agentOptions).toEqual({ provider: 'far', model: 'far-model' });
  });

  test('route defaults without the capability are refused at registration (S1.14)', async () => {
    const world = openWorld();
    const bad = scriptedProvider({ capabilities: { agentOptions: false }, agentRouteDefaults: { provider: 'a', model: 'b' } });
    expect(await codeOf(() => world.runtime.registerProvider(bad))).toBe('UNSUPPORTED_CAPABILITY');
  });

  test('a grandchild merges over its own parent’s, not over the root’s (S1.14)', async () => {
    const world = openWorld();
    world.driver.script('middle', [
      async (turn) => {
        await (await world.start(turn.agent, { label: 'leaf', delivery: 'caller', agentOptions: { maxTokens: 5 } })).result;
        return ends('completed')(turn, {} as never) as never;
      },
    ]);
    const root = await world.openRoot({ options: { model: 'parent-model' } });
    await (await world.start(root.agent, { label: 'middle', agentOptions: { model: 'middle-model' } })).result;
    expect(world.driver.turnsOf('leaf')[0]?.options).toEqual({ model: 'middle-model', maxTokens: 5 });
  });
});
