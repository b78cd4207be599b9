/** S11, S7.1, S1.9: what people see of names that others chose: one line, without a character that a terminal or a page obeys. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listAgentsTool } from '../../src/tools/list-agents.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { says } from '../support/scripted-steps.ts';
import { holds, patience } from './settings.ts';
import { id, many, twoTrees } from './two-trees.ts';
import { outcomeOf, refusedOrDone } from './untouched.ts';

const { signal } = new AbortController();
/** Of all that a person reads in one line. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\u200b\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/u;

test('a label is one line without anything that a terminal obeys, in every listing, event and notice (S11)', {
  ...patience(60_000),
}, async () => {
  const { world, root } = await twoTrees();
  world.driver.otherwise(says('done'));
  let accepted = 0;
  const property = fc.asyncProperty(id, async (sample) => {
    const label = sample.make() as string;
    const outcome = await refusedOrDone(world, async () => {
      const child = await world.start(root.agent, { label });
      await child.result;
      accepted++;
    });
    expect(outcome).toMatch(/^(done|INVALID_ARGUMENT)$/);
  });
  await holds(property, many / 20, 'hostileNames');
  await world.rest();
  expect(accepted).toBeGreaterThan(10);
  const seen = [
    ...(await world.runtime.listChildren(root.id)).map((entry) => entry.label ?? ''),
    ...(await world.runtime.listDescendants(root.id)).map((entry) => entry.label ?? ''),
    ...world.events.of('subagent/start').map((event) => event.label),
    ...(await world.logOf(root.id, 'inbox/inserted')).flatMap(({ data }) =>
      data.source.kind === 'subagent-settled' ? [data.source.summary] : [],
    ),
  ];
  expect(seen.length).toBeGreaterThan(accepted * 4 - 4);
  expect(seen.filter((line) => unsafe.test(line))).toEqual([]);
  const list = listAgentsTool({ runtime: world.runtime });
  const call = { agent: root.agent, signal, callId: 'c', idempotencyKey: 'k' };
  const lines = String(await list.execute({ scope: 'children' }, call)).split('\n');
  expect(lines).toHaveLength(accepted + 1);
  expect(lines.filter((line) => unsafe.test(line))).toEqual([]);
});

test('a provider has a name of one printable line, and an unknown one is repeated as such (S7.1, S11)', {
  ...patience(60_000),
}, async () => {
  const { world, root } = await twoTrees();
  const property = fc.asyncProperty(id, async (sample) => {
    const name = sample.make() as string;
    if (typeof name !== 'string' || world.runtime.getProvider(name) === undefined)
      expect(await refusedOrDone(world, () => world.start(root.agent, { provider: name ?? 'x' }))).toBe('UNKNOWN_PROVIDER');
    const outcome = await refusedOrDone(world, () => world.runtime.registerProvider({ ...scriptedProvider(), name }));
    expect(outcome).toMatch(/^(done|INVALID_ARGUMENT|DUPLICATE_PROVIDER)$/);
  });
  await holds(property, many / 20, 'hostileNames');
  const names = world.runtime.list().map((provider) => provider.name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => unsafe.test(name) || name.length > 128)).toEqual([]);
});

test('a preset that nobody made is unknown, whatever it is called (S1.11)', patience(60_000), async () => {
  const { world, root } = await twoTrees();
  const property = fc.asyncProperty(id, async (sample) => {
    const agentPreset = sample.make() as string;
    if (agentPreset === undefined) return;
    const outcome = await refusedOrDone(world, () => world.start(root.agent, { agentPreset }));
    expect(outcome).toBe(typeof agentPreset === 'string' ? 'UNKNOWN_PRESET' : 'INVALID_ARGUMENT');
  });
  await holds(property, many / 20, 'hostileNames');
});

test('the id of an external child is one printable line, or its run is refused and disposed (S1.9, S11)', {
  ...patience(60_000),
}, async () => {
  const { world, root } = await twoTrees();
  const remote = scriptedProvider();
  world.runtime.registerProvider({
    ...remote,
    start: async (request) => Object.assign((await remote.start?.(request)) ?? {}, next) as never,
  });
  let next = {};
  const property = fc.asyncProperty(id, async (sample) => {
    next = { id: sample.make() };
    const outcome = await outcomeOf(async () => {
      const child = await world.start(root.agent, { provider: 'remote' });
      expect(child.childId).not.toMatch(unsafe);
      (await remote.run(remote.runs.length)).settle();
      await child.result;
    });
    expect(outcome).toMatch(/^(done|PROVIDER_FAILED|DUPLICATE_CHILD)$/);
    expect(remote.runs.at(-1)?.isGone).toBe(true);
  });
  await holds(property, many / 20, 'hostileNames');
  const listed = (await world.runtime.listChildren(root.id)).filter(({ mode }) => mode === 'external');
  expect(listed.length).toBeGreaterThan(10);
  expect(listed.filter((entry) => unsafe.test(entry.id) || entry.id.length > 256)).toEqual([]);
  expect(world.live).toBe(3);
});
