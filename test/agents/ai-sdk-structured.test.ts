import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import { drive, toolOf } from '../support/drive.ts';
import { type FakeTurn, fakeTurn } from '../support/fake-turn.ts';
import { asks, call, finish, says, scriptedModel, text } from '../support/scripted-model.ts';

const completed = { stopReason: 'completed' };
const outputSchema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] } as const;
const looking = [toolOf('look', () => 'seen')];
const asked = {
  outputSchema,
  onSubmit(value: unknown) {
    if (typeof (value as { answer?: unknown }).answer !== 'number') {
      throw new SubagentError('INVALID_ARGUMENT', '/answer must be number');
    }
  },
};

describe('a turn of the AI SDK driver with an output schema (S5.3)', () => {
  test('it offers submit_result with the schema as its input, and completes once a result was taken', async () => {
    const turn = fakeTurn(asked);
    const model = scriptedModel(asks(call('c1', 'submit_result', { answer: 42 })));
    expect(await drive(turn, model)).toEqual(completed);
    expect(turn.submitted).toEqual([{ answer: 42 }]);
    expect(turn.results).toMatchObject([{ callId: 'c1', output: 'result accepted' }]);
    expect(turn.trace).toEqual(['check', 'record assistant', 'submit', 'record tool']);
    expect(model.doStreamCalls[0]?.tools).toMatchObject([{ name: 'submit_result', inputSchema: outputSchema }]);
  });

  test('it lets the model correct a result that was refused (K-1)', async () => {
    const turn = fakeTurn(asked);
    const model = scriptedModel(
      asks(call('c1', 'submit_result', { answer: 'forty-two' })),
      asks(call('c2', 'submit_result', '{"answer"')),
      asks(call('c3', 'submit_result', { answer: 42 })),
    );
    expect(await drive(turn, model)).toEqual(completed);
    expect(turn.submitted).toEqual([{ answer: 42 }]);
    expect(turn.results).toMatchObject([
      { isError: true, output: '/answer must be number' },
      { isError: true, output: 'the tool was not run: the input is not valid JSON' },
      { output: 'result accepted' },
    ]);
  });

  test('it gives the other calls of the same answer their results, and then ends', async () => {
    const turn = fakeTurn({ ...asked, tools: looking });
    const model = scriptedModel(asks(call('c1', 'submit_result', { answer: 42 }), call('c2', 'look')));
    expect(await drive(turn, model)).toEqual(completed);
    expect(turn.results.map(({ output }) => output)).toEqual(['result accepted', 'seen']);
  });

  test('it takes the first valid of several results in one answer', async () => {
    const turn = fakeTurn(asked);
    const submissions = [{}, { answer: 1 }, { answer: 2 }].map((input, index) => call(`c${index}`, 'submit_result', input));
    expect(await drive(turn, scriptedModel(asks(...submissions)))).toEqual(completed);
    expect(turn.submitted).toEqual([{ answer: 1 }]);
    expect(turn.results.map(({ isError }) => isError ?? false)).toEqual([true, false, true]);
  });

  test('it ends as error when the model answers in prose, and keeps the prose (K-1)', async () => {
    const turn = fakeTurn(asked);
    expect(await drive(turn, scriptedModel(says('the result is above')))).toEqual({
      stopReason: 'error',
      diagnostic: 'structured result missing',
    });
    expect(turn.said).toBe('the result is above');
  });

  test('it hears a message that came during the prose before it gives up (E-1)', async () => {
    const turn = fakeTurn({ ...asked, onDelta: (_, self) => self.deltas.length === 1 && self.steer('use the tool') });
    expect(await drive(turn, scriptedModel(says('the result'), asks(call('c1', 'submit_result', { answer: 42 }))))).toEqual(
      completed,
    );
  });

  test('it reports the limit that stopped the model, not the missing result (B-1)', async () => {
    expect(await drive(fakeTurn(asked), scriptedModel(says('so far', 'length')))).toMatchObject({ stopReason: 'max-tokens' });
    const steps = scriptedModel(asks(call('c1', 'look')));
    const end = await drive(fakeTurn({ ...asked, tools: looking }), steps, { stepsMax: 1 });
    expect(end.diagnostic).toContain('limit of 1 steps');
  });

  test('it sends the steps before the result exactly as without a schema, but for the one tool (K-1, K05)', async () => {
    const requests = async (schema: FakeTurn['outputSchema'], last: ReturnType<typeof says>) => {
      const model = scriptedModel(asks(call('c1', 'look')), last);
      await drive(fakeTurn({ outputSchema: schema, tools: looking, instructions: 'be brief' }), model);
      return model.doStreamCalls.map(({ abortSignal: _, tools, ...request }) => ({
        ...request,
        tools: tools?.filter(({ name }) => name !== 'submit_result'),
      }));
    };
    const without = await requests(undefined, says('done'));
    expect(await requests(outputSchema, asks(call('c2', 'submit_result', {})))).toEqual(without);
    expect(without[0]).not.toHaveProperty('responseFormat', expect.anything());
  });

  test('it refuses an agent that has a tool of that name, by name and before any model call (K-3)', async () => {
    const turn = fakeTurn({ ...asked, tools: [toolOf('submit_result', () => 'mine')] });
    const model = scriptedModel();
    expect(await drive(turn, model)).toEqual({
      stopReason: 'error',
      diagnostic: 'a tool of the agent has the name submit_result, which a turn with an output schema needs for itself',
    });
    expect(model.prompts).toHaveLength(0);
  });

  test('it leaves a tool of that name alone in a turn without a schema', async () => {
    const turn = fakeTurn({ tools: [toolOf('submit_result', () => 'mine')] });
    await drive(turn, scriptedModel(asks(call('c1', 'submit_result')), says('ok')));
    expect(turn.results[0]?.output).toBe('mine');
  });

  test('it shows the model nothing of a failure to store the result, and ends with what the log says (P38)', async () => {
    const turn = fakeTurn({
      outputSchema,
      onSubmit: (_, self) => {
        self.revoke();
        throw new SubagentError('FENCED', 'secret words of a store');
      },
    });
    await expect(drive(turn, scriptedModel(asks(call('c1', 'submit_result', {}))))).rejects.toMatchObject({ code: 'FENCED' });
    const again = fakeTurn({ outputSchema, onSubmit: () => Promise.reject(new SubagentError('STORE_LOCKED', 'secret words')) });
    await drive(again, scriptedModel(asks(call('c1', 'submit_result', {})), says('I cannot')));
    expect(again.results).toMatchObject([{ isError: true, output: 'the result could not be stored' }]);
  });
});

describe('an abort while a result is handed in', () => {
  test('it waits for the log and completes if the result was taken, with the other calls cut off (P05)', async () => {
    const turn = fakeTurn({
      ...asked,
      tools: [toolOf('deaf', () => new Promise<string>(() => undefined))],
      async onSubmit(_, self) {
        self.interrupt();
        await new Promise((resolve) => setImmediate(resolve));
      },
    });
    const model = scriptedModel(asks(call('c1', 'submit_result', { answer: 42 }), call('c2', 'deaf')));
    expect(await drive(turn, model)).toEqual(completed);
    expect(turn.results).toMatchObject([{ output: 'result accepted' }, { isInterrupted: true }]);
  });

  test('it ends as aborted if the result was refused', async () => {
    const turn = fakeTurn({
      outputSchema,
      onSubmit(_, self) {
        self.interrupt();
        throw new SubagentError('INVALID_ARGUMENT', 'no');
      },
    });
    expect(await drive(turn, scriptedModel(asks(call('c1', 'submit_result', {}))))).toEqual({ stopReason: 'aborted' });
  });

  test('it ends as aborted when the abort came with the prose and no result (S5.2)', async () => {
    const turn = fakeTurn({ ...asked, onRecord: (_, self) => self.interrupt() });
    expect(await drive(turn, scriptedModel([...text('done'), finish('stop')]))).toEqual({ stopReason: 'aborted' });
  });
});
