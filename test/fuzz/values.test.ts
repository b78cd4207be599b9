/**
 * S7, S8.1, S5.3: values where they enter. What JSON can hold comes back from the log as it was given; everything else is refused
 * with a code, before anything exists, and the agent that refused it works on.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Turn } from '../../src/agents/driver.ts';
import type { JsonObject, JsonValue } from '../../src/sessions/json.ts';
import { waitsAt } from '../support/scripted-steps.ts';
import { childInTurn, outputSchema } from './child-in-turn.ts';
import { anything, bomb, json, nested, notJson, objectOf, Sample } from './hostile.ts';
import { cases, holds, patience } from './settings.ts';
import { refusedOrDone } from './untouched.ts';

const few = cases(40, 1_500);

let calls = 0;

/** Every place at which a driver hands in a value: how it goes in, and where it lies in the last event of the log. */
const places: Readonly<Record<string, (turn: Turn, value: unknown) => Promise<(data: JsonObject) => unknown>>> = {
  async 'the input of a call'(turn, value) {
    const block = { type: 'tool-call', callId: `c${calls++}`, toolName: 'any', input: value as JsonValue } as const;
    await turn.record({ role: 'assistant', content: [block] });
    return (data) => (data.content as readonly JsonObject[])[0]?.input;
  },
  async 'the output of a tool'(turn, value) {
    const call = { callId: `c${calls++}`, toolName: 'any' };
    await turn.record({ role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] });
    await turn.record({ role: 'tool', content: [{ type: 'tool-result', ...call, output: value as JsonValue }] });
    return (data) => (data.content as readonly JsonObject[])[0]?.output;
  },
  async 'what a vendor attached'(turn, value) {
    const vendor = { any: value } as JsonObject;
    await turn.record({ role: 'assistant', content: [{ type: 'text', text: 'x', vendor }] });
    return (data) => ((data.content as readonly JsonObject[])[0]?.vendor as JsonObject | undefined)?.any;
  },
  async 'a structured result'(turn, value) {
    await turn.submitResult({ any: value as JsonValue });
    return (data) => (data.value as JsonObject).any;
  },
};
const placeNames = Object.keys(places);

describe.each(['memory', 'sqlite'] as const)('on the %s store', (store) => {
  test.each(placeNames)('%s is given back as it was (S7, S5.3)', patience(30_000), async (place) => {
    const { turn, last, worksOn } = await childInTurn(store);
    const property = fc.asyncProperty(json, async (value) => {
      const find = await places[place]?.(turn, value);
      expect(JSON.stringify(find?.(await last()))).toBe(JSON.stringify(value));
    });
    await holds(property, few, 'hostileValues');
    await worksOn();
  });

  test.each(placeNames)('%s that JSON cannot hold is refused, and nothing was written (S7)', patience(60_000), async (place) => {
    const { world, turn, worksOn } = await childInTurn(store);
    const openCall = place === 'the output of a tool'; // its call is recorded before it
    const property = fc.asyncProperty(notJson, async (sample) => {
      const give = () => places[place]?.(turn, sample.make());
      if (openCall) await expect(give()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      else expect(await refusedOrDone(world, give)).toBe('INVALID_ARGUMENT');
    });
    await holds(property, few, 'hostileValues');
    await worksOn();
  });
});

test('a record of 50 MB is given back as it was (R7)', patience(30_000), async () => {
  const { world, child, turn, last } = await childInTurn('sqlite');
  const text = 'x'.repeat(50_000_000);
  await turn.record({ role: 'assistant', content: [{ type: 'text', text }] });
  const [block] = (await last()).content as readonly JsonObject[];
  expect(block?.text === text).toBe(true);
  const read = await world.runtime.readSession(child.childId);
  expect(read.transcript.length).toBeGreaterThan(1);
});

test.each(placeNames)('%s may have 256 levels, and no more (S7)', async (place) => {
  const { turn } = await childInTurn('memory');
  const around = place === 'a structured result' || place === 'what a vendor attached' ? 1 : 0;
  for (const isArray of [true, false]) {
    await places[place]?.(turn, nested(256 - around, isArray));
    for (const levels of [257 - around, 4_000, 7_000, 200_000])
      await expect(places[place]?.(turn, nested(levels, isArray))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  }
  await expect(places[place]?.(turn, bomb(200))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});

test('anything as an entry of a turn, or a piece of its stream, is taken or refused, and the log can still be read (S7, R7)', {
  ...patience(30_000),
}, async () => {
  const { world, turn, worksOn } = await childInTurn('memory');
  const types = ['text', 'reasoning', 'tool-call', 'tool-result'];
  const block = objectOf({
    type: types,
    text: ['x'],
    callId: ['c1'],
    toolName: ['any'],
    input: [{}],
    output: ['x'],
    isError: [true],
    vendor: [],
  });
  const entry = fc
    .tuple(
      objectOf({ role: ['assistant', 'tool'], usage: [{ inputTokens: -1 }], model: ['m'] }),
      fc.oneof(anything, fc.array(block)),
    )
    .map(
      ([head, content]) =>
        new Sample(fc.stringify([head, content]), () => ({
          ...(head.make() as object),
          content: Array.isArray(content) ? content.map((one) => one.make()) : content.make(),
        })),
    );
  const property = fc.asyncProperty(fc.oneof(entry, block, anything), async (given) => {
    await refusedOrDone(world, () => turn.record(given.make() as never));
    await refusedOrDone(world, () => turn.stream(given.make() as never));
    await turn.history();
  });
  await holds(property, cases(150, 20_000), 'hostileValues');
  await worksOn();
});

describe('an output schema', () => {
  test('is taken as it was given, or refused before a child exists (S5.3, S7)', patience(30_000), async () => {
    const { world, root, worksOn } = await childInTurn('memory');
    const schema = objectOf({
      properties: [{ constructor: { type: 'string' } }, { a: { enum: [{}] } }],
      required: [['__proto__'], ['a', 'b']],
      allOf: [[{ $ref: '#' }], [{ minProperties: 1 }]],
      $id: ['x'],
      description: ['what it is'],
      minProperties: [0, 2],
    });
    let taken = 0;
    const ofObject = schema.map(
      (sample) => new Sample('an object', () => ({ ...(sample.make() as JsonObject), ...outputSchema })),
    );
    const property = fc.asyncProperty(fc.oneof(schema, ofObject, anything), async (sample) => {
      const given = sample.make();
      const outcome = await refusedOrDone(world, async () => {
        const child = await world.start(root.agent, { label: 'asked', outputSchema: given as JsonObject });
        const [descriptor] = await world.logOf(child.childId, 'subagent/descriptor');
        expect(JSON.stringify(descriptor?.data.outputSchema)).toBe(JSON.stringify(given));
        taken++;
        await child.dispose();
      });
      expect(['done', 'INVALID_ARGUMENT']).toContain(outcome);
    });
    await holds(property, cases(150, 20_000), 'hostileValues');
    expect(taken).toBeGreaterThan(5);
    await worksOn();
  });

  test.each([
    ['that asks for a field whose name every object has', { type: 'object', required: ['constructor'] }, {}],
    ['that asks for a field of a field', { type: 'object', properties: { a: { required: ['toString'] } } }, { a: {} }],
    ['that has no end', { type: 'object', allOf: [{ $ref: '#' }] }, {}],
  ])('%s is not satisfied by what does not have it (S5.3)', async (_, schema, value) => {
    const { world, root } = await childInTurn('memory');
    world.driver.script('asked', [waitsAt()]);
    await world.start(root.agent, { label: 'asked', outputSchema: schema });
    const { turn } = await world.driver.turn('asked');
    await expect(turn.submitResult(value)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test('with an optional field of such a name takes an object without it (S5.3)', async () => {
    const { world, root } = await childInTurn('memory');
    world.driver.script('asked', [waitsAt()]);
    const properties = { toString: { type: 'string' }, constructor: { type: 'number' } } as unknown as JsonObject;
    await world.start(root.agent, { label: 'asked', outputSchema: { type: 'object', properties } });
    const { turn } = await world.driver.turn('asked');
    await expect(turn.submitResult({ toString: 1 } as unknown as JsonValue)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await turn.submitResult({});
  });

  test('is refused by places that a person can read, whatever the model calls its fields (S11)', async () => {
    const { turn, world, root } = await childInTurn('memory');
    world.driver.script('asked', [waitsAt()]);
    await world.start(root.agent, { label: 'asked', outputSchema: { type: 'object', additionalProperties: { type: 'number' } } });
    const asked = await world.driver.turn('asked');
    const property = fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 20_000, size: 'max' }), async (key) => {
      const value = Object.fromEntries([[`\u001b[2J${key}`, 'x']]);
      expect(await refusedOrDone(world, () => asked.turn.submitResult(value))).toBe('INVALID_ARGUMENT');
    });
    await holds(property, cases(30, 1_000), 'hostileValues');
    expect(turn.signal.aborted).toBe(false);
  });
});
