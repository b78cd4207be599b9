import { generateText, isStepCount } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { toAiSdkTools } from '../../src/agents/drivers/ai-sdk.ts';
import type { AgentTool, ToolCallContext } from '../../src/agents/tool.ts';
import { drive, toolOf } from '../support/drive.ts';
import { fakeTurn } from '../support/fake-turn.ts';
import { asks, call, says, scriptedModel } from '../support/scripted-model.ts';

describe('what a tool returns', () => {
  const recorded = async (value: unknown, toolResultBytesMax?: number) => {
    const turn = fakeTurn({ tools: [toolOf('look', () => value as never)] });
    const model = scriptedModel(asks(call('c1', 'look')), says('ok'));
    await drive(turn, model, toolResultBytesMax === undefined ? {} : { toolResultBytesMax });
    const shown = model.prompts[1]?.at(-1)?.content[0] as { output: { value: unknown } } | undefined;
    expect(shown?.output.value).toEqual(turn.results[0]?.output);
    return turn.results[0];
  };

  test('it is recorded as plain JSON, and nothing as null', async () => {
    expect(await recorded({ at: new Date(0), list: [1, undefined] })).toMatchObject({
      output: { at: '1970-01-01T00:00:00.000Z', list: [1, null] },
    });
    expect(await recorded(undefined)).toMatchObject({ output: null });
  });

  test('it is copied, so that a tool which changes it later changes no history', async () => {
    const kept = { n: 1 };
    const result = await recorded(kept);
    kept.n = 2;
    expect(result?.output).toEqual({ n: 1 });
  });

  test('it is an error if it is not JSON', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.left = cycle;
    cycle.right = cycle;
    for (const value of [cycle, 1n, () => 1, Symbol('x')]) {
      expect(await recorded(value)).toMatchObject({ isError: true, output: 'the tool ran, but what it returned is not JSON' });
    }
    const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
    expect(await recorded(nested(1_000))).toMatchObject({ isError: true, output: expect.stringContaining('256 levels') });
    expect(await recorded(nested(100_000))).toMatchObject({ isError: true });
  });

  test('it is cut to 256 KiB when it is 7 MB of text, before it is recorded, with its true size (N-1)', async () => {
    const result = await recorded('x'.repeat(7_000_000));
    expect(result?.output).toBe(`${'x'.repeat(262_144)}\n[cut: 262144 of 7000000 bytes shown]`);
    expect(result).not.toHaveProperty('isError');
  });

  test('it is cut as the text of its JSON when it is 7 MB of data (N-1)', async () => {
    const { output } = (await recorded({ rows: Array.from({ length: 700_000 }, () => 'eight ch') })) ?? {};
    const cutText = String(output);
    expect(cutText.startsWith('{"rows":["eight ch",')).toBe(true);
    expect(cutText.slice(262_144)).toBe('\n[cut: 262144 of 7700010 bytes shown]');
  });

  test('it is cut between characters, never inside one (N-1)', async () => {
    expect((await recorded('añ€😀', 8))?.output).toBe('añ€\n[cut: 6 of 10 bytes shown]');
    expect((await recorded('añ€😀', 10))?.output).toBe('añ€😀');
    expect((await recorded({ a: 1 }, 7))?.output).toEqual({ a: 1 });
    expect((await recorded({ a: 1 }, 6))?.output).toBe('{"a":1\n[cut: 6 of 7 bytes shown]');
  });

  test('it is bounded too when it is the message of an error (N-1)', async () => {
    const turn = fakeTurn({ tools: [toolOf('fail', () => Promise.reject(new Error('x'.repeat(7_000_000))))] });
    await drive(turn, scriptedModel(asks(call('c1', 'fail')), says('ok')));
    expect(turn.results[0]?.isError).toBe(true);
    expect(JSON.stringify(turn.results).length).toBeLessThan(263_000);
  });
});

describe('the tools of a turn', () => {
  test('it refuses two tools of one name and a schema that cannot be used, by name (S8.1)', async () => {
    const bad: [AgentTool[], string][] = [
      [[toolOf('look', () => 1), toolOf('look', () => 2)], 'two tools have the name look'],
      [
        [toolOf('look', () => 1, { type: 'object', properties: { a: { $ref: '#/nowhere' } } })],
        'the input schema of tool look cannot be used',
      ],
    ];
    for (const [tools, diagnostic] of bad) {
      const model = scriptedModel();
      expect(await drive(fakeTurn({ tools }), model)).toEqual({ stopReason: 'error', diagnostic });
      expect(model.prompts).toHaveLength(0);
    }
  });

  test('it takes schemas of other dialects, with formats and keywords of their own, and several with one $id', async () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.com/one',
      type: 'object',
      properties: { pair: { type: 'array', prefixItems: [{ type: 'number' }] }, at: { type: 'string', format: 'moon' } },
      'x-ui': 'wide',
    } as const;
    const turn = fakeTurn({ tools: [toolOf('a', () => 1, schema), toolOf('b', () => 2, { ...schema })] });
    const model = scriptedModel(asks(call('c1', 'a', { pair: ['x'] }), call('c2', 'b', { pair: [1], at: 'now' })), says('ok'));
    await drive(turn, model);
    expect(turn.results.map(({ output }) => output)).toEqual(['the tool was not run: input/pair/0 must be number', 2]);
  });
});

describe('toAiSdkTools', () => {
  const { agent } = fakeTurn();
  const generates = (...calls: ReturnType<typeof call>[]) => {
    const usage = { inputTokens: {}, outputTokens: {} } as never;
    const reply = (content: unknown[], unified: 'stop' | 'tool-calls') =>
      ({ content, finishReason: { unified, raw: unified }, usage, warnings: [] }) as never;
    return new MockLanguageModelV4({
      doGenerate: [...calls.map((part) => reply([part], 'tool-calls')), reply([{ type: 'text', text: 'ok' }], 'stop')],
    });
  };
  const contexts: ToolCallContext[] = [];
  const pay = toolOf('pay', (input, context) => contexts.push(context) && input, {
    type: 'object',
    properties: { sum: { type: 'number' } },
  });

  test("it runs our tools in a host's own loop of the SDK, as the given agent (S8.5)", async () => {
    const { signal: abortSignal } = new AbortController();
    const model = generates(call('c1', 'pay', { sum: 1 }), call('c1', 'pay', { sum: 2 }));
    const tools = toAiSdkTools([pay], agent);
    const { steps } = await generateText({ model, prompt: 'go', tools, abortSignal, stopWhen: isStepCount(5) });
    expect(steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output))).toEqual([{ sum: 1 }, { sum: 2 }]);
    expect(contexts.map((context) => context.agent === agent && context.callId)).toEqual(['c1', 'c1']);
    expect(contexts.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['child-1:1:c1', 'child-1:3:c1']);
    expect(contexts[0]?.signal).toBeInstanceOf(AbortSignal);
  });

  test('it makes input that breaks the schema an error for the model, and does not run the tool', async () => {
    contexts.length = 0;
    const model = generates(call('c1', 'pay', { sum: 'much' }));
    await generateText({ model, prompt: 'go', tools: toAiSdkTools([pay], agent), stopWhen: isStepCount(5) });
    expect(contexts).toEqual([]);
    expect(JSON.stringify(model.doGenerateCalls[1]?.prompt)).toContain('input/sum must be number');
  });

  test('it leaves out a tool that is not available to the agent now', () => {
    const hidden: AgentTool = { ...pay, name: 'hidden', isAvailable: (asker) => asker !== agent };
    expect(Object.keys(toAiSdkTools([pay, hidden], agent))).toEqual(['pay']);
  });
});
