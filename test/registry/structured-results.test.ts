import { expect, test } from 'vitest';
import type { SubagentResult } from '../../src/providers/contract.ts';
import { textOf } from '../../src/sessions/content.ts';
import type { JsonObject, JsonValue } from '../../src/sessions/json.ts';
import { codeOf } from '../support/code-of.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { does, ends, type Step, says, submits } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const schema: JsonObject = {
  type: 'object',
  required: ['answer'],
  additionalProperties: false,
  properties: { answer: { type: 'integer' }, note: { type: 'string' } },
};

async function structured(steps: readonly Step[], world: World = openWorld()) {
  world.driver.script('worker', steps);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { outputSchema: schema });
  const result = await child.result;
  await world.driver.turn('root');
  const [notice] = await world.logOf(root.id, 'inbox/inserted');
  return { world, result, childId: child.childId, notice: textOf(notice?.data.content ?? []) };
}

test('a value that satisfies the schema is the structured result, for caller, parent and reader alike (S5.3)', async () => {
  const { world, result, childId, notice } = await structured([submits({ answer: 42 })]);
  expect(result).toEqual({ output: [], structured: { answer: 42 }, stopReason: 'completed' });
  expect(notice).toBe('Structured result: {"answer":42}\n');
  expect(await world.runtime.readResult(childId)).toEqual({ output: [], structured: { answer: 42 } });
});

test.each<readonly [string, readonly Step[], SubagentResult['output']]>([
  ['in prose', [says('the answer is 42')], [{ type: 'text', text: 'the answer is 42' }]],
  ['by pointing above', [says('42'), says('see above')], [{ type: 'text', text: 'see above' }]],
  ['not at all', [], []],
])(
  'a child that answers %s has failed: its prose is kept and the end says what is missing (S5.3, K-1, P26)',
  async (_, steps, output) => {
    const { result, notice } = await structured(steps);
    expect(result).toEqual({ output, stopReason: 'error', diagnostic: 'structured result missing' });
    expect(notice).toContain('structured result missing');
  },
);

test('a value that breaks the schema is refused by the places that are wrong, never by what they hold, and may be tried again (S5.3, P38)', async () => {
  const { world, result } = await structured([submits({ answer: 'CANARY', extra: 'CANARY' }), submits({ answer: 1 })]);
  const [turn] = world.driver.turnsOf('worker');
  expect(turn?.refusals).toMatchObject([
    { code: 'INVALID_ARGUMENT', message: expect.stringContaining('/answer must be integer') },
  ]);
  expect(String(turn?.refusals[0])).not.toContain('CANARY');
  expect(result.structured).toEqual({ answer: 1 });
});

test('a child whose only value was refused ends as error without a value (S5.3, P26)', async () => {
  const { result, world, childId } = await structured([submits({ answer: 'x' }), says('did my best')]);
  expect(result).toMatchObject({ stopReason: 'error', diagnostic: 'structured result missing' });
  expect(result).not.toHaveProperty('structured');
  expect(await world.logOf(childId, 'result/submitted')).toEqual([]);
});

const cyclic: Record<string, unknown> = { answer: 1 };
cyclic.note = cyclic;
let deep: JsonValue = 1;
for (let level = 0; level < 200_000; level++) deep = [deep];

test.each<readonly [string, unknown]>([
  ['that is no JSON', { answer: 1n }],
  ['that contains itself', cyclic],
  ['that is too deep to be written', { answer: 1, note: deep }],
  ['that is nothing', undefined],
])('a value %s is refused, and neither log nor parent is harmed (S5.3, P31)', async (_, value) => {
  const { world, result } = await structured([submits(value as JsonValue), submits({ answer: 2 })]);
  expect(world.driver.turnsOf('worker')[0]?.refusals).toMatchObject([{ code: 'INVALID_ARGUMENT' }]);
  expect(result.structured).toEqual({ answer: 2 });
});

test('what the driver does to the value afterwards changes nothing (P05)', async () => {
  const value = { answer: 1 };
  const { world, result, childId } = await structured([
    submits(value),
    does(() => {
      value.answer = 666;
    }),
  ]);
  expect(result.structured).toEqual({ answer: 1 });
  expect((await world.logOf(childId, 'result/submitted'))[0]?.data.value).toEqual({ answer: 1 });
});

test('a value that was taken stays with an end that is not completed (S5.3, P30)', async () => {
  const { result } = await structured([submits({ answer: 7 }), ends('max-tokens', 'ceiling')]);
  expect(result).toEqual({ output: [], structured: { answer: 7 }, stopReason: 'max-tokens', diagnostic: 'ceiling' });
});

test('a child that nobody asked for a value cannot hand one in, and completes without (S5.3)', async () => {
  const world = openWorld();
  world.driver.script('worker', [submits({ answer: 1 }), says('done')]);
  const root = await world.openRoot();
  const result = await (await world.start(root.agent)).result;
  expect(result).toEqual({ output: [{ type: 'text', text: 'done' }], stopReason: 'completed' });
  expect(world.driver.turnsOf('worker')[0]?.refusals).toMatchObject([{ code: 'INVALID_ARGUMENT' }]);
});

test.each<readonly [string, unknown]>([
  ['of another root', { type: 'array', items: {} }],
  ['without a root type', { properties: {} }],
  ['that is invalid', { type: 'object', properties: 5 }],
  ['that names a remote one', { type: 'object', $ref: 'https://example.com/schema.json' }],
  ['with a keyword that nobody knows', { type: 'object', mustRhyme: true }],
  ['of a dialect that is not ours', { $schema: 'https://example.com/own', type: 'object' }],
  ['that is asynchronous', { type: 'object', $async: true }],
  ['that is no object', 'object'],
  ['that is null', null],
  ['that contains itself', cyclic],
])('a schema %s is refused before anything exists (S5.3, S1.7)', async (_, outputSchema) => {
  const world = openWorld();
  const root = await world.openRoot();
  const writes = world.store.writes;
  const refusal = await codeOf(world.start(root.agent, { outputSchema: outputSchema as JsonObject }));
  expect(refusal).toBe('INVALID_ARGUMENT');
  expect(world.store.writes).toBe(writes);
  expect(world.live).toBe(0);
});

test('two schemas of one $id do not get into each other’s way, nor does one that is changed after the start (S5.3)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  const given = { $id: 'same', type: 'object', properties: { answer: { type: 'integer' } } };
  world.driver.script('first', [submits({ answer: 1 })]);
  world.driver.script('second', [submits({ answer: 'text' })]);
  const first = await world.start(root.agent, { label: 'first', outputSchema: given });
  given.properties.answer.type = 'string';
  const second = await world.start(root.agent, { label: 'second', outputSchema: given });
  expect((await first.result).structured).toEqual({ answer: 1 });
  expect((await second.result).structured).toEqual({ answer: 'text' });
});

test.each<readonly [string, JsonObject]>([
  ['of the dialect of 2020', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', $defs: {} }],
  ['of draft 7', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', title: 'x', description: 'y' }],
  ['that requires what it does not describe', { type: 'object', required: ['answer'] }],
  ['that refers to itself', { type: 'object', properties: { below: { $ref: '#' } } }],
])('a schema %s is taken (S5.3)', async (_, outputSchema) => {
  const world = openWorld();
  world.driver.script('worker', [submits({ answer: 1 })]);
  const root = await world.openRoot();
  expect((await (await world.start(root.agent, { outputSchema })).result).structured).toEqual({ answer: 1 });
});

const output: SubagentResult['output'] = [{ type: 'text', text: 'prose' }];

test.each<readonly [string, Partial<SubagentResult>, Partial<SubagentResult>]>([
  ['a value that satisfies it', { structured: { answer: 3 } }, { structured: { answer: 3 }, stopReason: 'completed' }],
  ['no value', {}, { stopReason: 'error', diagnostic: 'structured result missing' }],
  ['a value that breaks it', { structured: { answer: 'x' } }, { stopReason: 'error', diagnostic: 'structured result invalid' }],
  ['null', { structured: null }, { stopReason: 'error', diagnostic: 'structured result invalid' }],
  ['no value, since it failed', { stopReason: 'refusal', diagnostic: 'no' }, { stopReason: 'refusal', diagnostic: 'no' }],
])('an external child that is held to a schema and gives %s ends accordingly (S5.3, K-1, P26)', async (_, said, expected) => {
  const world = openWorld();
  const remote = scriptedProvider();
  world.runtime.registerProvider(remote);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { provider: 'remote', outputSchema: schema });
  remote.runs[0]?.settle({ output, ...said });
  expect(await child.result).toEqual({ output, ...expected });
});

test('an external child that nobody asked for a value has none (S5.3)', async () => {
  const world = openWorld();
  const remote = scriptedProvider();
  world.runtime.registerProvider(remote);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { provider: 'remote' });
  remote.runs[0]?.settle({ output, structured: { answer: 1 } });
  expect(await child.result).toEqual({ output, stopReason: 'completed' });
});
