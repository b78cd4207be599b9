/** G-1: a child comes back as itself, or says by which setting it cannot. */
import { expect, test } from 'vitest';
import type { AgentComposition } from '../../src/agents/composition.ts';
import type { AgentTool } from '../../src/agents/tool.ts';
import type { AgentOptions } from '../../src/sessions/event.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { type RecordedTurn, type ScriptedDriver, scriptedDriver } from '../support/scripted-driver.ts';
import { does, says, waitsAt } from '../support/scripted-steps.ts';
import { countedIds, openWorld, type World, type WorldSetup } from '../support/world.ts';

const say = (text: string) => [{ type: 'text', text } as const];
const tool = (name: string): AgentTool => ({ name, description: name, inputSchema: { type: 'object' }, execute: () => name });

/** All that a model request is made of, apart from what was said since. */
function settingsOf({ turn, options, cwd, agent }: RecordedTurn) {
  const { instructions, tools, header } = turn;
  return {
    options,
    cwd,
    instructions,
    tools: tools.map(({ name }) => name),
    id: agent.id,
    label: agent.label,
    depth: agent.depth,
    header,
  };
}

const persona = (driver: ScriptedDriver, more: Partial<AgentComposition> = {}): AgentComposition => ({
  ...{
    driver,
    instructions: 'You are careful.',
    tools: [tool('look'), tool('measure')],
    options: { model: 'slow', maxTokens: 900 },
  },
  ...more,
});

/** A root, a child in the middle, and below it the child with every setting of its own. It has had its first turn. */
async function family(setup: WorldSetup = {}) {
  const driver = scriptedDriver();
  const presets = { careful: persona(driver) };
  const world = openWorld({ driver, presets, ...setup });
  let directory = '/project';
  const root = await world.openRoot({ cwd: () => directory, options: { model: 'fast', provider: 'acme' } });
  const ids = Promise.withResolvers<{ middle: string; child: string }>();
  driver.script('middle', [
    does(async (turn) => {
      const child = await world.start(turn.agent, {
        ...{ label: 'child', prompt: 'the original task', delivery: 'caller', cwd: 'deep/down', agentPreset: 'careful' },
        agentOptions: { reasoningEffort: 'high', maxTokens: 500 },
      });
      await child.result;
      ids.resolve({ middle: turn.agent.id, child: child.childId });
    }),
  ]);
  await world.start(root.agent, { label: 'middle', delivery: 'caller' });
  const found = await ids.promise;
  await world.gone(found.middle);
  return { world, root, driver, ...found, moveTo: (path: string) => (directory = path) };
}

/** The same store after the process has ended, with these presets and a root of these settings. */
async function restarted(before: Awaited<ReturnType<typeof family>>, presets: WorldSetup['presets'], driver: ScriptedDriver) {
  await before.world.close();
  const world = openWorld({
    store: () => before.world.store.inner,
    clock: before.world.clock,
    ids: countedIds('r'),
    driver,
    ...(presets && { presets }),
  });
  const root = await world.openRoot({
    id: before.root.id,
    cwd: '/elsewhere',
    options: { model: 'other' },
    composition: { driver, instructions: 'new' },
  });
  return { world, root };
}

/** Resumes the middle one, which sends the child a message; the child's next turn. */
async function followUp(world: World, root: { agent: Parameters<World['start']>[0] }, family: { middle: string; child: string }) {
  const { driver } = world;
  const nth = driver.turnsOf('child').length + 1;
  driver.script('middle', [does(async (turn) => void (await world.runtime.sendMessage(turn.agent, family.child, say('go on'))))]);
  await world.runtime.sendMessage(root.agent, toSessionId(family.middle), say('wake your child'));
  return driver.turn('child', nth);
}

test('after it left memory its next request has every setting of the first, whatever became of its parents (G-1, P16)', async () => {
  const before = await family();
  const [first] = before.driver.turnsOf('child');
  before.moveTo('/moved');
  const again = await followUp(before.world, before.root, before);
  expect(settingsOf(again)).toEqual(settingsOf(first as RecordedTurn));
  expect(settingsOf(again)).toMatchObject({
    ...{ options: { model: 'slow', reasoningEffort: 'high', maxTokens: 500 }, cwd: '/project/deep/down', depth: 2 },
    ...{ instructions: 'You are careful.', tools: ['look', 'measure'] },
  });
  expect(again.prompts).toEqual(['the original task', `Agent ${before.middle} sent a message:\ngo on`]);
});

test('after a restart as well, although the definition of its persona has changed since (G-1, P16)', async () => {
  const before = await family();
  const [first] = before.driver.turnsOf('child');
  const driver = scriptedDriver();
  const tools = [tool('measure'), tool('delete_everything'), tool('look')];
  const changed = persona(driver, { instructions: 'You are reckless.', tools, options: { model: 'huge', maxTokens: 1 } });
  const { world, root } = await restarted(before, { careful: changed }, driver);
  const again = await followUp(world, root, before);
  const kept = settingsOf(again);
  expect({ ...kept, tools: kept.tools.toSorted() }).toEqual(settingsOf(first as RecordedTurn));
  expect(again.prompts).toContain('the original task');
});

test('a child that named no persona keeps the one that it joined, not that of the parent of today (G-1, P16)', async () => {
  const world = openWorld();
  const composition = { driver: world.driver, instructions: 'as it was', tools: [tool('look')] };
  const root = await world.openRoot({ composition });
  const child = await world.start(root.agent, { delivery: 'caller' });
  await child.result;
  await root.close();
  const tools = [tool('look'), tool('new')];
  const reopened = await world.openRoot({ id: root.id, composition: { ...composition, instructions: 'as it is', tools } });
  await world.runtime.sendMessage(reopened.agent, child.childId, say('go on'));
  const again = await world.driver.turn('worker', 2);
  expect(settingsOf(again)).toEqual(settingsOf(world.driver.turnsOf('worker')[0] as RecordedTurn));
});

test.each<readonly [string, (driver: ScriptedDriver) => WorldSetup['presets'], (options: AgentOptions) => void]>([
  ['its persona', () => ({}), () => undefined],
  ['a tool', (driver) => ({ careful: persona(driver, { tools: [tool('look')] }) }), () => undefined],
  [
    'its model',
    (driver) => ({ careful: persona(driver) }),
    ({ model }) => {
      if (model === 'slow') throw new Error('the model was withdrawn');
    },
  ],
])(
  'if %s is gone it refuses with a typed mismatch, before any request is sent or anything is claimed (G-1, P16, P17)',
  async (_, presets, validate) => {
    const before = await family();
    const driver = scriptedDriver();
    driver.onValidate = validate;
    const { world, root } = await restarted(before, presets(driver), driver);
    const refusal = Promise.withResolvers<string>();
    driver.script('middle', [
      does(async (turn) => refusal.resolve(await codeOf(world.runtime.sendMessage(turn.agent, before.child, say('go on'))))),
    ]);
    const log = await world.log(before.child);
    await world.runtime.sendMessage(root.agent, toSessionId(before.middle), say('wake your child'));
    expect(await refusal.promise).toBe('RESUME_MISMATCH');
    await world.rest();
    expect(driver.turnsOf('child')).toEqual([]);
    expect(await world.log(before.child)).toEqual(log);
    expect(await world.store.inner.head(toSessionId(before.child))).toMatchObject({ owner: undefined });
  },
);

test('the parent itself goes on under its own settings, not those of its helper (G-1, P16)', async () => {
  const before = await family();
  await followUp(before.world, before.root, before);
  await before.world.rest();
  await before.root.ask('and you?');
  const last = before.driver.turnsOf('root').at(-1);
  expect(last && settingsOf(last)).toMatchObject({
    options: { model: 'fast', provider: 'acme' },
    instructions: undefined,
    tools: [],
    depth: 0,
  });
});

test('a child whose transcript has more than 5 MiB comes back like any other (G-1, G06)', async () => {
  const world = openWorld();
  world.driver.script(
    'worker',
    [...Array.from({ length: 6 }, (_, part) => says(`${part}${'x'.repeat(1024 * 1024)}`)), says('done')],
    [waitsAt()],
  );
  const root = await world.openRoot();
  const child = await world.start(root.agent, { delivery: 'caller' });
  await child.result;
  await world.runtime.sendMessage(root.agent, child.childId, say('go on'));
  const again = await world.driver.turn('worker', 2);
  expect(JSON.stringify(again.history).length).toBeGreaterThan(6 * 1024 * 1024);
  world.runtime.interrupt(child.childId, { kind: 'ancestor', agent: root.agent });
});
