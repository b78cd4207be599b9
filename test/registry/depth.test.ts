/** S1.12, I-1: depth is the parent's plus one, kept in the header, and bounded before anything is created. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import { checkDepth } from '../../src/registry/depth.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { noteFigure } from '../support/figures.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { openWorld, type StartSetup, type World } from '../support/world.ts';

afterEach(() => noteFigure('limitTests', 1));

/** Starts a chain of children, each from inside its parent, until one is refused. Returns the depth reached and the refusal. */
async function chain(
  world: World,
  root: Agent,
  setup: StartSetup = {},
): Promise<{ levels: number; code: string; message: string }> {
  let levels = 0;
  let code = '';
  let message = '';
  world.driver.otherwise(async (turn) => {
    try {
      await (await world.start(turn.agent, { delivery: 'caller', ...setup })).result;
    } catch (error) {
      ({ code, message } = error as { code: string; message: string });
      levels = turn.agent.depth;
    }
  });
  try {
    await (await world.start(root, { delivery: 'caller', ...setup })).result;
  } catch (error) {
    ({ code, message } = error as { code: string; message: string });
  }
  return { levels, code, message };
}

describe('the depth limit (S1.12, I-1)', () => {
  test.each([0, 1, 3])(
    'with a setting of %i there are exactly so many levels below the root, and the refusal says both numbers (I-1, P21)',
    async (depthMax) => {
      const world = openWorld({ limits: { depthMax } });
      const root = await world.openRoot();
      const { levels, code, message } = await chain(world, root.agent);
      expect(levels).toBe(depthMax);
      expect(code).toBe('DEPTH_EXCEEDED');
      expect(message).toContain(String(depthMax + 1));
      expect(message).toContain(`limit is ${depthMax}`);
      expect(world.events.of('subagent/start').map(({ depth }) => depth)).toEqual(
        Array.from({ length: depthMax }, (_, index) => index + 1),
      );
    },
  );

  test('its default is 3 (S1.12)', async () => {
    const world = openWorld();
    expect(world.runtime.resolveMaxDepth()).toBe(3);
    expect((await chain(world, (await world.openRoot()).agent)).levels).toBe(3);
  });

  test.each([
    [1, 1],
    [2, 2],
    [5, 5],
  ])('a limit of %i in the request wins over the setting, upwards and downwards (S1.12)', async (maxDepth, expected) => {
    const world = openWorld();
    const { levels, code } = await chain(world, (await world.openRoot()).agent, { maxDepth });
    expect(levels).toBe(expected);
    expect(code).toBe('DEPTH_EXCEEDED');
  });

  test('it refuses before a session, an event or a run exists (S1.12)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    const { writes } = world.store;
    for (const provider of ['spawn', 'fork', 'remote']) {
      expect(await codeOf(world.start(root.agent, { provider, maxDepth: 0 }))).toBe('DEPTH_EXCEEDED');
    }
    expect(world.store.writes).toBe(writes);
    expect(remote.requests).toEqual([]);
    expect(world.live).toBe(0);
  });

  test('it holds for external children too, whatever their backend can enforce (I-1)', async () => {
    const world = openWorld({ limits: { depthMax: 0 } });
    const remote = scriptedProvider({ capabilities: { depthLimit: false } });
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    expect(await codeOf(world.start(root.agent, { provider: 'remote' }))).toBe('DEPTH_EXCEEDED');
    expect(remote.requests).toEqual([]);
  });

  test('a backend that cannot enforce a limit is refused when one is required of it (I-1, S1.7)', async () => {
    const world = openWorld();
    world.runtime.registerProvider(scriptedProvider({ capabilities: { depthLimit: false } }));
    const root = await world.openRoot();
    expect(await codeOf(world.start(root.agent, { provider: 'remote', maxDepth: 2 }))).toBe('UNSUPPORTED_CAPABILITY');
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '2', null])(
    'a limit of %s is refused (S1.12)',
    async (maxDepth) => {
      const world = openWorld();
      const root = await world.openRoot();
      expect(await codeOf(world.start(root.agent, { maxDepth } as never))).toBe('INVALID_ARGUMENT');
    },
  );
});

describe('the depth of a session (S1.12)', () => {
  test('it is in the header, and a resume does not change it (S1.12, I-1)', async () => {
    const world = openWorld({ limits: { depthMax: 1 } });
    const root = await world.openRoot();
    const childId = toSessionId('child-1');
    await (await world.start(root.agent, { childId })).result;
    expect((await world.store.inner.head(root.id))?.header.delegationDepth).toBe(0);
    expect((await world.store.inner.head(childId))?.header.delegationDepth).toBe(1);
    let code = '';
    world.driver.script('worker', [
      async (turn) => {
        expect(turn.agent.depth).toBe(1);
        code = await codeOf(world.start(turn.agent));
      },
    ]);
    await world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text: 'go deeper' }]);
    await world.driver.turn('worker', 2);
    await world.gone(childId);
    expect(code).toBe('DEPTH_EXCEEDED');
  });

  test('one that does not say counts as 0 (S1.12)', async () => {
    const world = openWorld();
    const { delegationDepth: _, ...header } = {
      version: 1,
      id: toSessionId('old'),
      createdAt: 0,
      cwd: '/project',
      project: '/project',
      delegationDepth: 0,
      isSeeded: false,
      inheritedEvents: 0,
    } as const;
    const { epoch } = await world.store.inner.create(header as never, 'old owner', []);
    await world.store.inner.handBack(header.id, epoch);
    const root = await world.openRoot({ id: 'old' });
    expect(root.agent.depth).toBe(0);
    const child = await world.start(root.agent);
    expect((await world.store.inner.head(toSessionId(child.childId)))?.header.delegationDepth).toBe(1);
  });

  test('one that cannot be counted is refused (S1.12)', async () => {
    expect(() => checkDepth(Number.MAX_SAFE_INTEGER, undefined, Number.POSITIVE_INFINITY)).toThrow(
      expect.objectContaining({ code: 'DEPTH_EXCEEDED' }),
    );
    expect(() => checkDepth(Number.NaN, undefined, Number.POSITIVE_INFINITY)).toThrow(
      expect.objectContaining({ code: 'DEPTH_EXCEEDED' }),
    );
    expect(checkDepth(Number.MAX_SAFE_INTEGER - 1, undefined, Number.POSITIVE_INFINITY)).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('resolveMaxDepth (S1.12)', () => {
  test('it gives the tool’s limit, else none if the provider manages depth, else the setting (S1.12)', async () => {
    const { runtime } = openWorld({ limits: { depthMax: 7 } });
    expect(runtime.resolveMaxDepth()).toBe(7);
    expect(runtime.resolveMaxDepth(undefined)).toBe(7);
    expect(runtime.resolveMaxDepth(0)).toBe(0);
    expect(runtime.resolveMaxDepth(9)).toBe(9);
    expect(runtime.resolveMaxDepth('provider-managed')).toBeUndefined();
    for (const bad of [-1, 1.5, Number.NaN, 2 ** 53])
      expect(await codeOf(() => runtime.resolveMaxDepth(bad))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(() => runtime.resolveMaxDepth('other' as never))).toBe('INVALID_ARGUMENT');
  });
});
