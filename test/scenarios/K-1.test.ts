/** K-1: a structured result that never comes is a failure that says so; the prose is kept, and nothing else is different. */
import { expect, test } from 'vitest';
import { aiSdkDriver } from '../../src/agents/drivers/ai-sdk.ts';
import type { AgentTool } from '../../src/agents/tool.ts';
import { textOf } from '../../src/sessions/content.ts';
import type { JsonObject } from '../../src/sessions/json.ts';
import { delegateTool } from '../../src/tools/delegate.ts';
import { asks, call, type Script, type Speech, scriptedModel, says as speaks } from '../support/scripted-model.ts';
import { openWorld } from '../support/world.ts';

const schema: JsonObject = { type: 'object', required: ['total'], properties: { total: { type: 'integer' } } };

/** A child on the AI SDK driver that is held to the schema, started by the tool of a parent that never mentions it. */
async function askedBy(whom: 'caller' | 'definition', ...scripts: readonly (Script | Speech)[]) {
  const world = openWorld();
  const ran: string[] = [];
  const count: AgentTool = {
    ...{ name: 'count', description: 'counts', inputSchema: { type: 'object' } },
    execute: () => {
      ran.push('count');
      return 41;
    },
  };
  const model = scriptedModel(...scripts);
  const composition = { driver: aiSdkDriver({ model, maxRetries: 0 }), tools: [count] };
  const notices: string[] = [];
  const root = await world.attachRoot({ composition, deliver: ({ content }) => void notices.push(textOf(content)) });
  const outcome = async (): Promise<unknown> => {
    if (whom === 'caller') return (await world.start(root.agent, { outputSchema: schema, delivery: 'caller' })).result;
    const tool = delegateTool({ runtime: world.runtime, provider: 'spawn', outputSchema: schema, background: false });
    const input = { description: 'worker', prompt: 'count' };
    const context = { agent: root.agent, signal: new AbortController().signal, callId: 'c', idempotencyKey: 'k' };
    return Promise.resolve(tool.execute(input, context)).catch((error: Error) => error.message);
  };
  const result = await outcome();
  expect(model.faults).toEqual([]);
  const [{ id } = { id: '' }] = await world.runtime.listChildren(root.id);
  return { world, model, result, ran, id };
}

test.each([
  ['answers in prose', [asks(call('c', 'count')), speaks('the total is 41')], 'the total is 41'],
  ['says that the result is above', [speaks('41'), speaks('see above')], '41'],
  ['calls a tool and stops', [asks(call('c', 'count')), speaks('')], ''],
  ['submits what is not valid, and gives up', [asks(call('s', 'submit_result', { total: 'many' })), speaks('sorry')], 'sorry'],
] as const)(
  'a child that %s has failed: the result is missing, and its prose is kept (K-1, S5.3, P26)',
  async (_, scripts, prose) => {
    const { result, world, id } = await askedBy('caller', ...scripts);
    const output = prose === '' ? [] : [{ type: 'text', text: prose }];
    expect(result).toEqual({ output, stopReason: 'error', diagnostic: 'structured result missing' });
    expect(await world.runtime.readResult(id)).toEqual({ output });
  },
);

test('the schema of a definition holds without the caller asking for it, and its failure is a tool error (K-1, S8.1)', async () => {
  const { result } = await askedBy('definition', speaks('the total is 41'));
  expect(result).toMatch(/ended: error\nstructured result missing\nPartial text:\nthe total is 41$/);
});

test('a value is valid or it is none: a model may try again until it is (K-1, P26)', async () => {
  const { result, model } = await askedBy(
    'definition',
    asks(call('s1', 'submit_result', { total: null })),
    asks(call('s2', 'submit_result', { total: 41 })),
  );
  expect(result).toEqual({ total: 41 });
  expect(JSON.stringify(model.prompts.at(-1))).toContain('/total must be integer');
});

test('tool calls on the way are the same with a schema as without (K-1)', async () => {
  const steps = [asks(call('c', 'count')), asks(call('s', 'submit_result', { total: 41 }))];
  const { ran, model, world, id } = await askedBy('caller', ...steps);
  expect(ran).toEqual(['count']);
  expect(model.prompts[1]?.at(-1)).toMatchObject({ role: 'tool', content: [{ toolName: 'count', output: { value: 41 } }] });
  const results = (await world.logOf(id, 'tool/results')).flatMap(({ data }) => data.content);
  expect(results[0]).toMatchObject({ toolName: 'count', output: 41 });
});
