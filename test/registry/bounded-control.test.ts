/** S4, P24, P22: whatever never answers, every control call comes back within its stated bound, and the places come back with it. */
import { describe, expect, test } from 'vitest';
import type { SubagentActivation } from '../../src/providers/contract.ts';
import type { AttachedAgent, OpenAgent } from '../../src/registry/top-level-handle.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { gate } from '../support/gate.ts';
import { type RunPlan, scriptedLocalProvider, scriptedProvider } from '../support/scripted-provider.ts';
import { callsTool, ignoresStopAt, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type StartSetup, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
/** Small and different, so that a bound that is not kept shows. All milliseconds. */
const limits = {
  ...{ materializeMs: 4_000, turnStopMs: 500, appendMs: 1_000, disposeMs: 600, notifyMs: 700, drainMs: 3_000 },
};
/** What `stopTrees` states: `drainMs` plus the bounds of a release. */
const boundMs = limits.drainMs + limits.appendMs + limits.disposeMs + limits.notifyMs;
const never = () => new Promise<never>(() => undefined);

interface Hang {
  readonly name: string;
  /** Before the root opens. */
  setUp?(world: World): void;
  /** Before the child starts. */
  prepare?(world: World): void;
  /** When the child stands, or is stuck on its way. */
  afterwards?(world: World): void;
  readonly start?: StartSetup;
  readonly isAttached?: true;
  readonly hasTool?: true;
}

function external(plan: RunPlan) {
  return (world: World) => {
    const remote = scriptedProvider();
    remote.plan(plan);
    world.runtime.registerProvider(remote);
  };
}

/** From now on the store answers no such call of anybody. */
const deaf = (method: 'append' | 'handBack' | 'check' | 'head' | 'renew') => (world: World) => {
  for (let nth = 0; nth < 200; nth++) world.store.inject({ at: { method }, fault: 'hang' });
};

const hangs: readonly Hang[] = [
  { name: 'a driver that is deaf to the stop', setUp: ({ driver }) => driver.script('worker', [ignoresStopAt()]) },
  {
    name: 'a driver that does not let go',
    afterwards: ({ driver }) => {
      driver.onRelease = never;
    },
  },
  { name: 'a tool that does not return', hasTool: true, setUp: ({ driver }) => driver.script('worker', [callsTool('stuck')]) },
  {
    name: 'a driver that does not judge the options',
    prepare: ({ driver }) => {
      driver.onValidate = never;
    },
  },
  {
    name: 'a provider that does not prepare',
    setUp: ({ runtime }) => void runtime.registerProvider(scriptedLocalProvider(never, { name: 'stuck' })),
    start: { provider: 'stuck' },
  },
  {
    name: 'a provider that does not start',
    setUp: external({ startAt: gate(), ignoresSignal: true }),
    start: { provider: 'remote' },
  },
  {
    name: 'a run that neither ends nor is disposed',
    setUp: external({ disposeAt: gate(), neverSettles: true }),
    start: { provider: 'remote' },
  },
  { name: 'a run whose end never comes', setUp: external({ neverSettles: true }), start: { provider: 'remote' } },
  { name: 'a host that does not take the notice', isAttached: true },
  { name: 'a store that does not create', prepare: ({ store }) => store.inject({ at: { method: 'create' }, fault: 'hang' }) },
  {
    name: 'a store that does not publish',
    prepare: ({ store }) => store.inject({ at: { method: 'append', event: 'subagent/child' }, fault: 'hang' }),
  },
  ...(['append', 'handBack', 'check', 'head', 'renew'] as const).map((method) => ({
    name: `a store whose ${method} does not answer`,
    afterwards: deaf(method),
  })),
];

interface Stage {
  readonly world: World;
  readonly root: OpenAgent | AttachedAgent;
  /** Absent while it is stuck on its way. */
  readonly child: SubagentActivation | undefined;
  readonly target: string;
}

async function stageOf(hang: Hang): Promise<Stage> {
  const world = openWorld({ limits });
  world.abandon(); // what is stuck here stays stuck; each test looks at what must hold
  hang.setUp?.(world);
  world.driver.otherwise(waitsAt());
  const stuck = { name: 'stuck', description: 'never returns', inputSchema: { type: 'object' }, execute: never } as const;
  const composition = { driver: world.driver, ...(hang.hasTool && { tools: [stuck] }) };
  const root = hang.isAttached ? await world.attachRoot({ composition, deliver: never }) : await world.openRoot({ composition });
  hang.prepare?.(world);
  let child: SubagentActivation | undefined;
  const isLocal = hang.start?.provider !== 'remote';
  world.start(root.agent, { ...(isLocal && { childId }), ...hang.start }).then(
    (started) => {
      child = started;
    },
    () => undefined,
  );
  await world.rest();
  hang.afterwards?.(world);
  const [target] = world.resident(root.id).children;
  return { world, root, child, target: target?.childId ?? 'nobody' };
}

const controls: readonly (readonly [verb: string, call: (stage: Stage) => Promise<unknown>])[] = [
  ['dispose', async ({ child }) => child?.dispose()],
  ['drainDescendants', ({ world, root }) => world.runtime.drainDescendants([root.agent])],
  ['drainChildren', ({ world, root, target }) => world.runtime.drainChildren(root.agent, [target])],
  ['closing the top-level agent', ({ root }) => root.close()],
  ['closing the runtime', ({ world }) => world.runtime.close()],
];

/** Moves time until `work` is over. Resolves with how long that took, in milliseconds. */
async function timeOf(world: World, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  const started = world.clock.now();
  await world.rest();
  while (!isOver && world.clock.now() - started < 60_000) await world.advance(100);
  return world.clock.now() - started;
}

describe.each(hangs)('$name', (hang) => {
  test.each(controls)('does not hold %s past its bound, and its place comes back (S4, P24, P22)', async (_, call) => {
    const stage = await stageOf(hang);
    const { world } = stage;
    expect(world.live).toBe(1);
    const isNothingToDispose = call === controls[0]?.[1] && stage.child === undefined;
    expect(await timeOf(world, call(stage))).toBeLessThanOrEqual(boundMs);
    if (!isNothingToDispose) expect(world.live).toBe(0);
    expect(await timeOf(world, world.runtime.close()), 'close').toBeLessThanOrEqual(boundMs + limits.drainMs);
    expect(world.live).toBe(0);
  });

  test('does not hold an interrupt, which returns at once; its turn is over within the bound of a turn (S4.1, P24)', async () => {
    const { world, root, target } = await stageOf(hang);
    const before = world.clock.now();
    world.runtime.interrupt(target, { kind: 'ancestor', agent: root.agent });
    world.runtime.interrupt(target, { kind: 'user', parentSessionId: root.id });
    expect(world.clock.now()).toBe(before);
    const hadTurn = world.driver.turns.length > 0 || hang.start?.provider === 'remote';
    await world.advance(limits.turnStopMs + limits.appendMs);
    if (hadTurn) expect((await world.runtime.listAgents(root.agent)).map(({ activity }) => activity)).not.toContain('running');
    await world.advance(limits.materializeMs + boundMs);
    expect(world.live).toBe(0);
  });
});

test('a close that gives agents up says so: it does not resolve as if all had ended well (S4.6, P24)', async () => {
  const world = openWorld({ limits: { drainMs: 3_000, notifyMs: 100, disposeMs: 40_000 } });
  world.abandon();
  world.driver.script('worker', [waitsAt()]);
  world.driver.onRelease = never;
  const root = await world.openRoot();
  await world.start(root.agent, { childId });
  await world.rest();
  let code = 'open';
  world.runtime.close().then(
    () => {
      code = 'resolved';
    },
    (error: { code: string }) => {
      code = error.code;
    },
  );
  await world.advance(3_000 + 200);
  expect(code).toBe('ACTIVATION_TEARDOWN_FAILED');
});
