import { expect, test } from 'vitest';
import type { SubagentCapabilities } from '../../src/providers/contract.ts';
import { forkProvider } from '../../src/providers/fork.ts';
import type { JsonObject, JsonValue } from '../../src/sessions/json.ts';
import { type DelegateOptions, delegateTool } from '../../src/tools/delegate.ts';
import { scriptedDriver } from '../support/scripted-driver.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { openWorld } from '../support/world.ts';

const choices = { models: ['small', 'large'], presets: ['expert'], directories: true } satisfies Partial<DelegateOptions>;

async function withTool(options: Partial<DelegateOptions> = {}) {
  const expert = scriptedDriver();
  const world = openWorld({ presets: { expert: { driver: expert } } });
  const tool = delegateTool({ runtime: world.runtime, provider: 'spawn', ...options });
  const root = await world.openRoot({ options: { model: 'own' } });
  const call = async (input: JsonValue) =>
    tool.execute(input, { agent: root.agent, signal: new AbortController().signal, callId: 'c', idempotencyKey: 'k' });
  return { world, tool, root, call, expert };
}

const propertiesOf = (schema: JsonObject) => Object.keys(schema.properties as JsonObject);
const task = (more: Record<string, JsonValue> = {}) => ({
  description: 'worker',
  prompt: 'go',
  run_in_background: false,
  ...more,
});

test('the input is a description and a prompt, and whether to wait (S8.1)', async () => {
  const { tool } = await withTool();
  expect(propertiesOf(tool.inputSchema)).toEqual(['description', 'prompt', 'run_in_background']);
  expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false, required: ['description', 'prompt'] });
});

test('directory, model and preset can be chosen where that is configured, from what is allowed (S8.1, S8.5)', async () => {
  const { tool, world, call, expert } = await withTool(choices);
  expect(propertiesOf(tool.inputSchema).slice(3)).toEqual(['cwd', 'model', 'preset']);
  expect(tool.inputSchema.properties).toMatchObject({ model: { enum: ['small', 'large'] }, preset: { enum: ['expert'] } });
  await call(task({ cwd: 'below', model: 'large' }));
  expect(world.driver.turnsOf('worker')[0]).toMatchObject({ cwd: '/project/below', options: { model: 'large' } });
  await call(task({ preset: 'expert' }));
  expect(expert.turnsOf('worker')).toHaveLength(1);
});

const none: SubagentCapabilities = { agentOptions: false, agentPreset: false, outputSchema: false, depthLimit: false };

test('what the provider does not support is neither offered nor taken, and its depth is left to it (S8.1, S8.5)', async () => {
  const remote = scriptedProvider({ capabilities: none });
  const { tool, world, call } = await withTool({ ...choices, provider: 'remote' });
  world.runtime.registerProvider(remote);
  expect(propertiesOf(tool.inputSchema).slice(3)).toEqual(['cwd']);
  await expect(call(task({ model: 'large' }))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  expect(await call(task({ run_in_background: true }))).toBe('started subagent remote-1');
  expect(remote.requests[0]).not.toHaveProperty('maxDepth');
});

test.each<readonly [string, JsonValue]>([
  ['nothing', null],
  ['a text', 'go'],
  ['a list', ['go']],
  ['no description', { prompt: 'go' }],
  ['an empty description', task({ description: '' })],
  ['a description of nothing but controls', task({ description: '\u001b\u0000' })],
  ['a description that is too long', task({ description: 'x'.repeat(201) })],
  ['no prompt', { description: 'worker' }],
  ['a prompt of another type', task({ prompt: ['go'] })],
  ['a wish to wait that is no truth value', task({ run_in_background: 'no' })],
  ['an unknown field', task({ depth: 9 })],
  [
    'the word __proto__',
    JSON.parse('{"description":"worker","prompt":"go","__proto__":{"run_in_background":true}}') as JsonValue,
  ],
  ['a directory, where none can be chosen', task({ cwd: '/' })],
  ['a model, where none can be chosen', task({ model: 'large' })],
  ['a preset, where none can be chosen', task({ preset: 'expert' })],
])('%s as input is refused, and nothing was started (S8.1, S7 of the threats)', async (_, input) => {
  const { world, call, root } = await withTool();
  const refusal = await call(input).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(/; nothing was started$/) });
  expect(await world.runtime.listChildren(root.id)).toEqual([]);
  expect(({} as Record<string, unknown>).run_in_background).toBeUndefined();
});

test.each<readonly [string, Record<string, JsonValue>]>([
  ['a model', { model: 'huge' }],
  ['a model of another type', { model: ['large'] }],
  ['a preset', { preset: 'root' }],
  ['a word of the language as preset', { preset: 'constructor' }],
])('%s that is not on the list is refused by what is (S8.5, P35)', async (_, more) => {
  const { call } = await withTool(choices);
  await expect(call(task(more))).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringMatching(/is one of (small, large|expert); nothing was started$/),
  });
});

test('the tool is there only while its provider is registered and the agent may go deeper (S8.1, S8.5)', async () => {
  const { world, tool, root } = await withTool({ provider: 'remote', maxDepth: 1 });
  expect(tool.isAvailable?.(root.agent)).toBe(false);
  const remove = world.runtime.registerProvider(scriptedProvider());
  expect(tool.isAvailable?.(root.agent)).toBe(true);
  expect(tool.isAvailable?.({ ...root.agent, depth: 1 })).toBe(false);
  remove();
  expect(tool.isAvailable?.(root.agent)).toBe(false);
});

test.each([
  ['the setting', undefined, 2, false],
  ['a limit of its own, which wins over the setting', 5, 4, true],
  ['the setting, where the provider manages depth: the runtime takes no start beyond it', 'provider-managed', 2, false],
  ['not reached below the setting, where the provider manages depth', 'provider-managed', 1, true],
] as const)('the limit of depth is %s (S1.12, S8.5)', async (_, maxDepth, depth, isAvailable) => {
  const world = openWorld({ limits: { depthMax: 2 } });
  const tool = delegateTool({ runtime: world.runtime, provider: 'spawn', ...(maxDepth !== undefined && { maxDepth }) });
  const root = await world.openRoot();
  expect(tool.isAvailable?.({ ...root.agent, depth })).toBe(isAvailable);
});

test('the description says whether the child sees the conversation, also for a provider that is registered later (S8.1)', async () => {
  const { world } = await withTool();
  const spawn = delegateTool({ runtime: world.runtime, provider: 'spawn' });
  const late = delegateTool({ runtime: world.runtime, provider: 'late', name: 'delegate_with_context' });
  expect(spawn.description).toContain('does not see this conversation');
  world.runtime.registerProvider(forkProvider({ name: 'late' }));
  expect(late.description).toContain('It sees this conversation');
  for (const { description } of [spawn, late]) expect(description).toContain('Start independent tasks together');
  expect([spawn.name, late.name]).toEqual(['delegate', 'delegate_with_context']);
});

test('the schema is one object as long as the choices are the same, so that it is compiled once', async () => {
  const { world, tool } = await withTool({ ...choices, provider: 'remote' });
  const remove = world.runtime.registerProvider(scriptedProvider());
  const before = tool.inputSchema;
  remove();
  expect(propertiesOf(tool.inputSchema)).not.toContain('model');
  world.runtime.registerProvider(scriptedProvider());
  expect(tool.inputSchema).toBe(before);
});
