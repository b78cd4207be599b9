import { APICallError } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { aiSdkDriver } from '../../src/agents/drivers/ai-sdk.ts';
import { drive, toolOf } from '../support/drive.ts';
import { fakeTurn } from '../support/fake-turn.ts';
import { asks, call, finish, openSpeech, says, scriptedModel, text } from '../support/scripted-model.ts';

const looking = () => ({ tools: [toolOf('look', () => 'seen')] });
const throwing = (error: unknown) => () => Promise.reject(error);

describe('how the AI SDK driver ends a turn (S5.2)', () => {
  test.each([
    ['length', 'max-tokens', /limit of output tokens/],
    ['content-filter', 'refusal', /content filter/],
    ['error', 'error', /ended its answer with an error/],
    ['interrupted', 'error', /broke off/],
    ['other', 'error', /a reason that it did not name/],
  ] as const)('it reports the finish reason %s as %s and keeps the text (B-1)', async (reason, stopReason, diagnostic) => {
    const turn = fakeTurn();
    const end = await drive(turn, scriptedModel(says('so far', reason)));
    expect(end).toEqual({ stopReason, diagnostic: expect.stringMatching(diagnostic) });
    expect(turn.said).toBe('so far');
    expect(turn.trace).not.toContain('steering');
  });

  test('it reports a finish reason that the SDK does not know yet as error (S5.2)', async () => {
    const end = await drive(fakeTurn(), scriptedModel(says('so far', 'paused' as 'stop')));
    expect(end).toMatchObject({ stopReason: 'error' });
  });

  test('it does not run a tool of an answer that was cut off, and says so in the result (B-1, P18)', async () => {
    let runs = 0;
    const turn = fakeTurn({ tools: [toolOf('pay', () => (runs += 1))] });
    const end = await drive(turn, scriptedModel([...text('I will pay'), call('c1', 'pay'), finish('length')]));
    expect(end.stopReason).toBe('max-tokens');
    expect(runs).toBe(0);
    expect(turn.results).toEqual([
      {
        type: 'tool-result',
        callId: 'c1',
        toolName: 'pay',
        output: 'not run: the answer with this call was cut off',
        isError: true,
      },
    ]);
  });

  test('it runs the tools of an answer that a provider ends with stop', async () => {
    const turn = fakeTurn(looking());
    expect(await drive(turn, scriptedModel([call('c1', 'look'), finish('stop')], says('ok')))).toEqual({
      stopReason: 'completed',
    });
    expect(turn.results.map(({ output }) => output)).toEqual(['seen']);
  });

  test('it ends as error when a model announces tool calls and makes none', async () => {
    const end = await drive(fakeTurn(looking()), scriptedModel(says('I will look', 'tool-calls')));
    expect(end).toEqual({ stopReason: 'error', diagnostic: 'the model announced tool calls and made none' });
  });

  test('it ends as error at the step limit, names it, keeps the evidence, and leaves messages in the inbox (B-1, N-3)', async () => {
    const turn = fakeTurn({
      tools: [
        toolOf('look', (_, { callId }) => {
          turn.steer(callId);
          return `found ${callId}`;
        }),
      ],
    });
    const model = scriptedModel(asks(call('c1', 'look')), asks(call('c2', 'look')));
    expect(await drive(turn, model, { stepsMax: 2 })).toEqual({
      stopReason: 'error',
      diagnostic: 'stopped at the limit of 2 steps (model calls) for one turn',
    });
    expect(turn.results.map(({ output }) => output)).toEqual(['found c1', 'found c2']);
    expect(turn.trace.filter((entry) => entry === 'steering')).toHaveLength(1);
  });

  test('it completes with the last step that the limit allows', async () => {
    const model = scriptedModel(asks(call('c1', 'look')), says('done'));
    expect(await drive(fakeTurn(looking()), model, { stepsMax: 2 })).toEqual({ stopReason: 'completed' });
  });

  test('it allows 50 steps unless told otherwise', async () => {
    const model = scriptedModel(...Array.from({ length: 50 }, (_, index) => asks(call(`c${index}`, 'look'))));
    expect(await drive(fakeTurn(looking()), model)).toMatchObject({ diagnostic: expect.stringContaining('limit of 50 steps') });
  });
});

describe('a stream that closes without a finish', () => {
  const brokenOff = { stopReason: 'error', diagnostic: "the model's answer broke off: its stream closed without a finish" };

  test('it is an error, with or without output, and what was said is kept (B-1)', async () => {
    const turn = fakeTurn();
    expect(await drive(turn, scriptedModel(text('half an ans')))).toEqual(brokenOff);
    expect(turn.said).toBe('half an ans');
    expect(await drive(fakeTurn(), scriptedModel([]))).toEqual(brokenOff);
  });

  test('it is an error right after a tool result too (B-1)', async () => {
    const turn = fakeTurn(looking());
    expect(await drive(turn, scriptedModel(asks(call('c1', 'look')), []))).toEqual(brokenOff);
    expect(turn.results).toHaveLength(1);
  });

  test('it does not run the calls that came before, and records none of them (P18)', async () => {
    const turn = fakeTurn(looking());
    expect(await drive(turn, scriptedModel([...text('let me look'), call('c1', 'look')]))).toEqual(brokenOff);
    expect(turn.log.map(({ content }) => content)).toEqual([[{ type: 'text', text: 'let me look' }]]);
  });
});

describe('a model call that fails', () => {
  const key = 'CANARY-sk-1234';
  const secretive = (options: { statusCode?: number; isRetryable?: boolean; headers?: Record<string, string> } = {}) =>
    new APICallError({
      message: `bad key ${key}`,
      url: `https://models.example/v1?key=${key}`,
      requestBodyValues: { prompt: key },
      responseHeaders: { authorization: key, ...options.headers },
      responseBody: `{"error":"${key}é"}`.repeat(100_000),
      data: { key },
      cause: new Error(key),
      isRetryable: options.isRetryable ?? false,
      ...(options.statusCode !== undefined && { statusCode: options.statusCode }),
    });

  test('it names class, status and provider and repeats nothing that could hold a key (T-1, P38, S5.4)', async () => {
    const turn = fakeTurn();
    const end = await drive(turn, scriptedModel(throwing(secretive({ statusCode: 401 }))));
    expect(end).toEqual({
      stopReason: 'error',
      diagnostic: 'the model call failed: AI_APICallError, HTTP 401 (the credentials were refused), provider mock-provider',
    });
    expect(JSON.stringify([end, turn.log, turn.deltas])).not.toContain('CANARY');
  });

  test.each([
    ['a plain error', new Error(key)],
    ['an error that calls itself a key', Object.assign(new Error('x'), { name: key })],
    ['an error whose name hides one', Object.assign(new Error('x'), { name: `${key}Error` })],
    ['a string', key],
    ['an object', { message: key, statusCode: key }],
    ['nothing', undefined],
    [
      'a value that throws when it is looked at',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error(key);
          },
        },
      ),
    ],
  ])('it says no more than Error about %s (T-1, P38)', async (_, error) => {
    for (const script of [throwing(error), [...text('so far'), { type: 'error', error } as const]]) {
      const end = await drive(fakeTurn(), scriptedModel(script));
      expect(end.stopReason).toBe('error');
      expect(end.diagnostic).toMatch(/^the model call failed: [A-Za-z_]*Error, provider mock-provider$/);
    }
  });

  test('it keeps what was said before the failure and nothing of the failure itself (N-3, T-1)', async () => {
    const turn = fakeTurn();
    const end = await drive(
      turn,
      scriptedModel([...text('half an ans'), { type: 'error', error: secretive({ statusCode: 503 }) }]),
    );
    expect(end.diagnostic).toContain('HTTP 503 (the server failed)');
    expect(turn.said).toBe('half an ans');
    expect(JSON.stringify([end, turn.log])).not.toContain('CANARY');
  });

  test('it ends as error when the connection breaks in mid-stream (T-1)', async () => {
    const speech = openSpeech();
    speech.fail(secretive({ statusCode: 503 }));
    const end = await drive(fakeTurn(), scriptedModel(speech.stream));
    expect(end.diagnostic).toBe('the model call failed: AI_APICallError, HTTP 503 (the server failed), provider mock-provider');
  });

  test('it repeats a call that may pass, says how often it tried, and not for ever', async () => {
    const busy = throwing(secretive({ statusCode: 429, isRetryable: true, headers: { 'retry-after-ms': '0' } }));
    expect(await drive(fakeTurn(), scriptedModel(busy, busy, says('at last')), { maxRetries: 2 })).toEqual({
      stopReason: 'completed',
    });
    const model = scriptedModel(busy, busy, busy, says('never said'));
    const end = await aiSdkDriver({ model }).runTurn(fakeTurn());
    expect(end.diagnostic).toBe(
      'the model call failed: AI_APICallError, HTTP 429 (too many requests), provider mock-provider, after 3 attempts',
    );
    expect(model.prompts).toHaveLength(3);
  });

  test('it repeats no call when told so', async () => {
    const model = scriptedModel(throwing(secretive({ statusCode: 429, isRetryable: true })), says('never said'));
    expect((await drive(fakeTurn(), model, { maxRetries: 0 })).diagnostic).not.toContain('attempts');
    expect(model.prompts).toHaveLength(1);
  });

  test('it does not repeat a call that cannot pass', async () => {
    const model = scriptedModel(throwing(secretive({ statusCode: 400 })), says('never said'));
    expect((await drive(fakeTurn(), model, { maxRetries: 2 })).stopReason).toBe('error');
    expect(model.prompts).toHaveLength(1);
  });

  test('it keeps the answers and results of the steps before (N-3)', async () => {
    const turn = fakeTurn(looking());
    await drive(turn, scriptedModel(asks(call('c1', 'look')), throwing(secretive())));
    expect(turn.trace).toEqual(['check', 'record assistant', 'record tool', 'steering', 'check']);
  });
});
