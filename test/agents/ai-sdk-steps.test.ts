import { describe, expect, test } from 'vitest';
import type { ToolCallContext } from '../../src/agents/tool.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { drive, toolOf } from '../support/drive.ts';
import { fakeTurn } from '../support/fake-turn.ts';
import { asks, call, finish, type ModelPart, says, scriptedModel, text } from '../support/scripted-model.ts';

const completed = { stopReason: 'completed' };
const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
const userTexts = (prompt: readonly { role: string; content: unknown }[] | undefined) =>
  (prompt ?? []).filter(({ role }) => role === 'user').map(({ content }) => (content as { text: string }[])[0]?.text);

describe('a turn of the AI SDK driver', () => {
  test('it streams an answer, records it with usage and model, and ends completed (S5.2)', async () => {
    const turn = fakeTurn();
    const model = scriptedModel([...text('hello from here'), finish('stop', { input: 11, output: 7 })]);
    expect(await drive(turn, model)).toEqual(completed);
    expect(turn.deltas).toEqual(['hello ', 'from ', 'here'].map((delta) => ({ type: 'text', text: delta })));
    expect(turn.log).toEqual([
      {
        seq: 41,
        role: 'assistant',
        content: [{ type: 'text', text: 'hello from here' }],
        model: 'mock-model-id',
        usage: { inputTokens: 11, outputTokens: 7 },
      },
    ]);
  });

  test('it checks the fence, calls the model, records, and only then runs tools, step by step (I1, I2, S10.1)', async () => {
    const turn = fakeTurn({
      tools: [toolOf('look', () => turn.trace.push('tool') && 'seen')],
    });
    const model = scriptedModel(() => {
      turn.trace.push('model');
      return asks(call('c1', 'look'));
    }, says('done'));
    expect(await drive(turn, model)).toEqual(completed);
    expect(turn.trace).toEqual([
      ...['check', 'model', 'record assistant', 'tool', 'record tool', 'steering'],
      ...['check', 'record assistant', 'steering'],
    ]);
  });

  test('it runs no tool when the answer that calls it could not be committed (I2)', async () => {
    let runs = 0;
    const turn = fakeTurn({ tools: [toolOf('pay', () => (runs += 1))], onRecord: (_, self) => self.revoke() });
    await expect(drive(turn, scriptedModel(asks(call('c1', 'pay'))))).rejects.toMatchObject({ code: 'FENCED' });
    expect(runs).toBe(0);
  });

  test('it calls no model after the fence was lost, and rejects with what the log said (S2.2)', async () => {
    const turn = fakeTurn({ onCheck: (self) => self.revoke() });
    const model = scriptedModel();
    await expect(drive(turn, model)).rejects.toMatchObject({ code: 'FENCED' });
    expect(model.prompts).toHaveLength(0);
  });

  test('it gives a tool the exact agent, the signal, and a key of session, sequence number and call id (S1.2, S10.1)', async () => {
    const calls: ToolCallContext[] = [];
    const turn = fakeTurn({ tools: [toolOf('pay', (_, context) => calls.push(context))] });
    await drive(turn, scriptedModel(asks(call('c1', 'pay')), asks(call('c1', 'pay')), says('paid')));
    expect(calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['child-1:41:c1', 'child-1:44:c1']);
    expect(turn.log.filter(({ role }) => role === 'assistant').map(({ seq }) => seq)).toEqual([41, 44, 47]);
    expect(calls[0]?.agent).toBe(turn.agent);
    expect(calls[0]?.signal).toBe(turn.signal);
    expect(calls[0]?.callId).toBe('c1');
  });

  test('it runs the calls of one answer side by side and shows their results in the order of the calls (S8.1)', async () => {
    const second = Promise.withResolvers<string>();
    const turn = fakeTurn({
      tools: [
        toolOf('first', () => second.promise),
        toolOf('second', () => {
          second.resolve('the second ran while the first waited');
          return 2;
        }),
      ],
    });
    await drive(turn, scriptedModel(asks(call('c1', 'first'), call('c2', 'second')), says('done')));
    expect(turn.results.map(({ callId, output }) => [callId, output])).toEqual([
      ['c1', 'the second ran while the first waited'],
      ['c2', 2],
    ]);
  });

  test('it records each result as soon as it is there, so that a crash repeats no call that had ended (S10.1, P15)', async () => {
    const slow = Promise.withResolvers<string>();
    const turn = fakeTurn({
      tools: [toolOf('slow', () => slow.promise), toolOf('quick', () => 'seen')],
      onRecord: (entry) => {
        if (entry.role === 'tool' && entry.content[0]?.callId === 'c2') slow.resolve('late');
      },
    });
    await drive(turn, scriptedModel(asks(call('c1', 'slow'), call('c2', 'quick')), says('done')));
    expect(
      turn.log.flatMap(({ role, content }) =>
        role === 'tool' ? content.map((block) => (block as { callId: string }).callId) : [],
      ),
    ).toEqual(['c2', 'c1']);
  });

  test('it announces each tool call once, as early as the model names it', async () => {
    const turn = fakeTurn({ tools: [toolOf('look', () => 'seen')] });
    const early = { type: 'tool-input-start', id: 'c1', toolName: 'look' } as const;
    await drive(turn, scriptedModel(asks(early, call('c1', 'look'), call('c2', 'look')), says('ok')));
    expect(turn.deltas.filter(({ type }) => type === 'tool-call')).toEqual([
      { type: 'tool-call', callId: 'c1', toolName: 'look' },
      { type: 'tool-call', callId: 'c2', toolName: 'look' },
    ]);
  });

  test('it gives two calls that came under one id one result each (P18)', async () => {
    const turn = fakeTurn({ tools: [toolOf('echo', (input) => input)] });
    await drive(turn, scriptedModel(asks(call('c1', 'echo', { n: 1 }), call('c1', 'echo', { n: 2 })), says('ok')));
    expect(turn.results.map(({ callId, output }) => [callId, output])).toEqual([
      ['c1', { n: 1 }],
      ['c1_2', { n: 2 }],
    ]);
  });

  test('it passes over what the provider ran itself', async () => {
    const turn = fakeTurn();
    const searched = {
      type: 'tool-call',
      toolCallId: 's1',
      toolName: 'search',
      input: '{}',
      providerExecuted: true,
      dynamic: true,
    } as const;
    const found = { type: 'tool-result', toolCallId: 's1', toolName: 'search', result: 'x', dynamic: true } as const;
    expect(await drive(turn, scriptedModel([searched, found, ...text('found'), finish('stop')]))).toEqual(completed);
    expect(turn.log[0]?.content).toEqual([{ type: 'text', text: 'found' }]);
  });

  test('it records an answer without content for its usage only', async () => {
    const turn = fakeTurn();
    expect(await drive(turn, scriptedModel([finish('stop', { output: 3 })]))).toEqual(completed);
    expect(turn.log).toMatchObject([{ content: [], usage: { outputTokens: 3 } }]);
  });
});

describe('a tool call that fails', () => {
  const errorOf = async (...parts: ModelPart[]) => {
    const turn = fakeTurn({
      tools: [
        toolOf('fail', () => Promise.reject(new Error('the disk is on fire'))),
        toolOf('throw', () => Promise.reject('only words')),
        toolOf('add', () => 3, { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }),
      ],
    });
    const model = scriptedModel(asks(...parts), says('I see'));
    expect(await drive(turn, model)).toEqual(completed);
    const [result] = turn.results;
    expect(result?.isError).toBe(true);
    const shown = model.prompts[1]?.at(-1)?.content[0];
    expect(shown).toMatchObject({ type: 'tool-result', output: { type: 'error-text', value: result?.output } });
    return { turn, error: result?.output, asked: model.prompts[1]?.at(-2)?.content[0] };
  };

  test('it shows the model the message of what was thrown', async () => {
    expect((await errorOf(call('c1', 'fail'))).error).toBe('the disk is on fire');
    expect((await errorOf(call('c1', 'throw'))).error).toBe('only words');
  });

  test('it tells the model that a tool does not exist, and which do', async () => {
    const { error } = await errorOf(call('c1', 'fly'));
    expect(error).toBe('the tool was not run: there is no tool named "fly"; the tools are fail, throw, add');
  });

  test('it tells the model that its input is not JSON, keeps the input in the log, and shows providers an object', async () => {
    const { turn, error, asked } = await errorOf(call('c1', 'add', '{"a": 1'));
    expect(asked).toEqual({ ...call('c1', 'add'), input: {} });
    expect(error).toBe('the tool was not run: the input is not valid JSON');
    expect(turn.log[0]?.content[0]).toMatchObject({ type: 'tool-call', input: '{"a": 1' });
  });

  test('it tells the model which rule of the schema its input breaks, and does not run the tool', async () => {
    const { error } = await errorOf(call('c1', 'add', { a: 'one' }));
    expect(error).toBe('the tool was not run: input/a must be number');
    expect((await errorOf(call('c1', 'add', {}))).error).toContain("must have required property 'a'");
  });

  test.each([1_000, 100_000])(
    'it refuses input of %d levels, too deep for a log or even for the SDK, and records none of it (P31)',
    async (levels) => {
      const { turn, error } = await errorOf(call('c1', 'fail', nested(levels)));
      expect(error).toBe('the tool was not run: the input is nested more than 256 levels deep');
      expect(turn.log[0]?.content[0]).toMatchObject({ type: 'tool-call', input: {} });
    },
  );

  test('it refuses a number that no JSON can hold', async () => {
    const { turn, error } = await errorOf(call('c1', 'fail', '{"a":1e400}'));
    expect(error).toBe('the tool was not run: the input is not plain JSON: it holds a number that is not finite');
    expect(turn.log[0]?.content[0]).toMatchObject({ type: 'tool-call', input: {} });
  });

  test('it answers a call when there are no tools at all', async () => {
    const turn = fakeTurn();
    await drive(turn, scriptedModel(asks(call('c1', 'look')), says('ok')));
    expect(turn.results[0]?.output).toBe('the tool was not run: there is no tool named "look"; there are no tools');
  });

  test('it lets the other calls of the answer finish (O07)', async () => {
    const turn = fakeTurn({ tools: [toolOf('fail', () => Promise.reject(new Error('no'))), toolOf('look', () => 'seen')] });
    await drive(turn, scriptedModel(asks(call('c1', 'fail'), call('c2', 'look')), says('ok')));
    expect(turn.results.map(({ output }) => output)).toEqual(['no', 'seen']);
  });
});

describe('messages during a turn', () => {
  test('it shows a message that came while a tool ran behind the results, framed and in order (S3.2, S3.4)', async () => {
    const turn = fakeTurn({
      tools: [
        toolOf('look', () => {
          turn.steer('turn left', { kind: 'agent-message', form: 'relay', senderSessionId: toSessionId('parent-1') });
          turn.steer('and stop');
          return 'seen';
        }),
      ],
    });
    const model = scriptedModel(asks(call('c1', 'look')), says('stopped'));
    expect(await drive(turn, model)).toEqual(completed);
    expect(model.prompts[1]?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'user']);
    expect(userTexts(model.prompts[1])).toEqual(['go', 'Agent parent-1 sent a message:\nturn left', 'and stop']);
  });

  test('it goes on when a message came while the last answer streamed (E-1, S2.7)', async () => {
    const turn = fakeTurn({
      onDelta: (_, self) => self.deltas.length === 1 && self.steer('one more thing'),
    });
    const model = scriptedModel(says('all done'), says('that too'));
    expect(await drive(turn, model)).toEqual(completed);
    expect(turn.said).toBe('all donethat too');
    expect(model.prompts[1]?.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(userTexts(model.prompts[1])).toEqual(['go', 'one more thing']);
  });

  test('it leaves a message in the inbox when no step may follow, for the next turn to take (E-1, I4)', async () => {
    const turn = fakeTurn({ onDelta: (_, self) => self.steer('too late') });
    expect(await drive(turn, scriptedModel(says('done')), { stepsMax: 1 })).toEqual(completed);
    expect(turn.trace).not.toContain('steering');
  });
});
