/**
 * S8, S6, S11: what a model may write as the input of a tool. Every call ends in a result or in an error that a person can read,
 * which says that nothing was done when nothing was; the tools of ours are called plainly and by way of the AI SDK driver.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aiSdkDriver } from '../../src/agents/drivers/ai-sdk.ts';
import type { AgentTool } from '../../src/agents/tool.ts';
import type { SessionId } from '../../src/sessions/ids.ts';
import type { JsonValue } from '../../src/sessions/json.ts';
import { delegateTool } from '../../src/tools/delegate.ts';
import { interruptAgentTool } from '../../src/tools/interrupt-agent.ts';
import { listAgentsTool } from '../../src/tools/list-agents.ts';
import { sendMessageTool } from '../../src/tools/send-message.ts';
import { scriptedDriver } from '../support/scripted-driver.ts';
import { asks, call as callPart, says as saysParts, scriptedModel } from '../support/scripted-model.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';
import { anything, awkwardTexts, json, objectOf, type Sample, text } from './hostile.ts';
import { cases, holds, patience } from './settings.ts';
import { refusedOrDone } from './untouched.ts';

const texts = [...awkwardTexts, 'x'.repeat(1_000_000), 'x'.repeat(2_000_000)];
/** What is right must be drawn often, or hardly any call would succeed. */
const often = (...values: readonly string[]) => Array.from({ length: 60 }, (_, index) => values[index % values.length] ?? '');
/** What each tool understands, and what is near it. */
const inputs: Readonly<Record<string, fc.Arbitrary<Sample>>> = {
  delegate: objectOf({
    description: [...often('a task'), 'x'.repeat(200), 'x'.repeat(201), ...texts],
    prompt: [...often('go'), ...texts],
    run_in_background: [true, false],
    cwd: [...often('.', '..', '/'), ...texts],
    model: [...often('small'), ...texts],
    preset: [...often('expert'), ...texts],
  }),
  send_message: objectOf({
    agent_id: [...often('busy', 'done', 'far', 'leaf', 'root'), ...texts],
    message: [...often('hello'), ...texts],
  }),
  interrupt_agent: objectOf({ agent_id: [...often('busy', 'done', 'far', 'leaf', 'root'), ...texts] }),
  list_agents: objectOf({ scope: [...often('children', 'descendants'), ...texts], constructor: [] }),
};
const names = Object.keys(inputs);

/** `root` with `busy` (in a turn, with a child `leaf`) and `done` (settled), and beside it `other` with `far`. */
async function tree() {
  const world = openWorld({
    limits: { childrenPerAgent: 1_000_000, inboxMessages: 1_000_000, inboxBytes: 1e12 },
    presets: { expert: { driver: scriptedDriver() } },
  });
  world.driver.isBlind = true;
  for (const label of ['busy', 'leaf', 'far']) world.driver.script(label, [waitsAt()]);
  world.driver.otherwise(says('done'));
  const root = await world.openRoot({ id: 'root' });
  await world.openRoot({ id: 'other' });
  const start = (parent: string, label: string) =>
    world.start(world.resident(parent).agent, { label, childId: label as SessionId });
  await start('root', 'busy');
  await start('root', 'done');
  await start('busy', 'leaf');
  await start('other', 'far');
  await world.rest();
  const { runtime } = world;
  const choices = { models: ['small'], presets: ['expert'], directories: true, provider: 'spawn' };
  const tools: readonly AgentTool[] = [
    delegateTool({ runtime, ...choices }),
    sendMessageTool({ runtime }),
    interruptAgentTool({ runtime }),
    listAgentsTool({ runtime }),
  ];
  return { world, root, tools };
}

const nothing: Readonly<Record<string, RegExp>> = {
  delegate: /nothing was started$/,
  send_message: /nothing was delivered$/,
  interrupt_agent: /nothing was done$/,
  list_agents: /nothing was listed$/,
};

test.each(names)(
  '%s answers any input with a result, or with an error that says that nothing was done (S8)',
  {
    ...patience(60_000),
  },
  async (name) => {
    const { world, root, tools } = await tree();
    const tool = tools.find((candidate) => candidate.name === name) as AgentTool;
    const context = { agent: root.agent, signal: new AbortController().signal, callId: 'c', idempotencyKey: 'k' };
    let done = 0;
    const property = fc.asyncProperty(fc.oneof({ weight: 3, arbitrary: inputs[name] ?? anything }, anything), async (sample) => {
      let answer: unknown;
      let error: unknown;
      await refusedOrDone(world, async () => {
        try {
          answer = await tool.execute(sample.make() as JsonValue, context);
          done++;
        } catch (refusal) {
          error = refusal;
          throw refusal;
        }
      });
      if (error !== undefined) expect((error as Error).message).toMatch(nothing[name] ?? /$/);
      else expect(JSON.stringify(answer)).toBeTypeOf('string');
      if (name !== 'list_agents') await world.rest(); // children that were started end, and their ends are told
    });
    await holds(property, cases(250, 5_000), 'toolInputs');
    expect(done).toBeGreaterThan(5);
    expect(world.isResident('far')).toBe(true);
    expect(await world.inserted('far')).toEqual(['go']);
    expect(await world.inserted('other')).toEqual([]);
  },
);

/** Texts that a model may send as the input of a call: JSON, nearly JSON, and what only a program would write. */
const rawInput = fc.oneof(
  json.map((value) => JSON.stringify(value)),
  json.map((value) => JSON.stringify(value).slice(0, -1)),
  fc.array(text, { maxLength: 3 }).map((list) => `{"agent_id":${JSON.stringify(list[0] ?? '')},"message":"${list[1] ?? ''}"}`),
  fc.constantFrom(
    ...[
      '',
      '{',
      '{}}',
      'null',
      '[]',
      '"text"',
      '1e400',
      '-0',
      '{"a":1e400}',
      '\u0000',
      '\ufeff{}',
      '{"agent_id":"x","agent_id":"y"}',
    ],
    ...[300, 5_000, 100_000].map((levels) => `${'['.repeat(levels)}${']'.repeat(levels)}`),
    ...[300, 5_000, 100_000].map((levels) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`),
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  ),
);

test('a model that writes any text as input gets one result for each call, and its turn goes on (S8, R10, P18)', {
  ...patience(60_000),
}, async () => {
  const toolName = fc.oneof(fc.constantFrom('delegate', 'send_message', 'interrupt_agent', 'list_agents', 'read'), text);
  const wanted = fc.array(fc.tuple(toolName, rawInput, fc.constantFrom('c1', 'c2', '')), { minLength: 1, maxLength: 4 });
  const property = fc.asyncProperty(wanted, async (calls) => {
    const world = openWorld();
    const { runtime } = world;
    const model = scriptedModel(
      asks(...calls.map(([name, input, callId]) => callPart(callId, name, input))),
      ...Array.from({ length: 8 }, () => saysParts('the end')), // also for what its subagents report
    );
    const read: AgentTool = {
      name: 'read',
      description: 'Reads.',
      inputSchema: { type: 'object', properties: { constructor: { type: 'string' } }, additionalProperties: { type: 'number' } },
      execute: (input) => input,
    };
    const tools = [
      delegateTool({ runtime, provider: 'spawn' }),
      sendMessageTool({ runtime }),
      interruptAgentTool({ runtime }),
      listAgentsTool({ runtime }),
      read,
    ];
    const composition = { driver: aiSdkDriver({ model }), tools };
    const root = await world.openRoot({ composition });
    expect(await root.ask('go')).toMatchObject({ stopReason: 'completed', output: [{ text: 'the end' }] });
    expect(model.faults).toEqual([]);
    const results = (await world.logOf(root.id, 'tool/results')).flatMap(({ data }) => data.content);
    expect(results).toHaveLength(calls.length);
    for (const { output, isError } of results) if (isError) expect(String(output).length).toBeLessThan(2_000);
    await world.close();
  });
  await holds(property, cases(60, 1_000), 'toolInputs');
});
