import { getEventListeners } from 'node:events';
import { APICallError } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { aiSdkDriver } from '../../src/agents/drivers/ai-sdk.ts';
import { drive, toolOf } from '../support/drive.ts';
import { type FakeTurn, fakeTurn, imbalanceOfLog } from '../support/fake-turn.ts';
import { asks, call, finish, type ModelPart, openSpeech, says, scriptedModel, text } from '../support/scripted-model.ts';

const aborted = { stopReason: 'aborted' };
const never = <Value>() => new Promise<Value>(() => undefined);
const interrupted = (callId: string) => ({ callId, isError: true, isInterrupted: true });
/** Lets everything happen that is ready to happen. */
const settleAll = () => new Promise((resolve) => setImmediate(resolve));

describe('an abort of a turn of the AI SDK driver (S4.1, I5)', () => {
  test('it ends the turn before anything is asked of the model', async () => {
    const turn = fakeTurn();
    turn.interrupt();
    expect(await drive(turn, scriptedModel())).toEqual(aborted);
    expect(turn.trace).toEqual([]);
  });

  test('it ends the turn while the model is looked up, also if the factory never answers', async () => {
    const turn = fakeTurn();
    const model = () => {
      turn.interrupt();
      return never<ReturnType<typeof scriptedModel>>();
    };
    expect(await aiSdkDriver({ model }).runTurn(turn)).toEqual(aborted);
  });

  test('it ends the turn between the check and the model call', async () => {
    const turn = fakeTurn({ onCheck: (self) => self.interrupt() });
    const model = scriptedModel();
    expect(await drive(turn, model)).toEqual(aborted);
    expect(model.prompts).toHaveLength(0);
  });

  test('it ends the turn while the model has not answered, also if it never will', async () => {
    const turn = fakeTurn();
    const model = scriptedModel(({ abortSignal }) => {
      turn.interrupt();
      expect(abortSignal?.aborted).toBe(true);
      return never();
    });
    expect(await drive(turn, model)).toEqual(aborted);
    expect(turn.log).toEqual([]);
  });

  test('it ends the turn while the SDK waits before it repeats a call', async () => {
    const turn = fakeTurn();
    const model = scriptedModel(() => {
      queueMicrotask(() => setImmediate(() => turn.interrupt()));
      const busy = { url: 'u', requestBodyValues: {}, statusCode: 429, isRetryable: true };
      return Promise.reject(new APICallError({ message: 'busy', ...busy, responseHeaders: { 'retry-after': '50' } }));
    });
    expect(await drive(turn, model, { maxRetries: 2 })).toEqual(aborted);
    expect(model.prompts).toHaveLength(1);
  });

  test('it records what had been streamed, without vendor data of the unfinished block, lets the connection go, and does not wait for it', async () => {
    const turn = fakeTurn({
      onDelta: (delta, self) => delta.type === 'text' && delta.text === 'an ' && self.interrupt(),
    });
    const reasoning = [
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    ] as const;
    const signed = { type: 'text-delta', id: 'text', delta: '', providerMetadata: { openai: { itemId: 'item-1' } } } as const;
    const [start, ...words] = text('half an answer');
    const speech = openSpeech(...reasoning, start as ModelPart, signed, ...words, call('c1', 'look'));
    expect(await drive(turn, scriptedModel(speech.stream))).toEqual(aborted);
    expect(turn.log.map(({ content }) => content)).toEqual([[{ type: 'text', text: 'half an ' }]]);
    expect(turn.deltas.at(-1)).toEqual({ type: 'text', text: 'an ' });
    await settleAll();
    expect(speech.state.isCancelled).toBe(true);
  });

  test('it ends as aborted when the streamed text cannot be recorded any more (I3 of the port)', async () => {
    const turn = fakeTurn({
      onDelta: (_, self) => {
        self.interrupt();
        self.revoke();
      },
    });
    expect(await drive(turn, scriptedModel(openSpeech(...text('lost words')).stream))).toEqual(aborted);
    expect(turn.log).toEqual([]);
  });

  test('it is an abort whatever error the provider makes of it', async () => {
    const turn = fakeTurn();
    const speech = openSpeech(...text('half'));
    const model = scriptedModel(({ abortSignal }) => {
      abortSignal?.addEventListener('abort', () => speech.fail(new Error('socket hang up')));
      return speech.stream;
    });
    const running = drive(turn, model);
    await settleAll();
    turn.interrupt();
    expect(await running).toEqual(aborted);
  });

  test('it keeps a complete answer as completed when the abort comes after it was recorded (P05, B08)', async () => {
    const turn = fakeTurn({ onRecord: (_, self) => self.interrupt() });
    expect(await drive(turn, scriptedModel(says('done')))).toEqual({ stopReason: 'completed' });
    expect(turn.trace).not.toContain('steering');
  });
});

describe('an abort while tools run', () => {
  test('it records finished calls as they are and the others as interrupted, and waits for no tool (D13, G-2, P18)', async () => {
    const turn: FakeTurn = fakeTurn({
      tools: [
        toolOf('quick', () => 'done'),
        toolOf('deaf', async () => {
          await settleAll();
          turn.interrupt();
          return never<string>();
        }),
        toolOf(
          'heeds',
          (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut')))),
        ),
      ],
    });
    const model = scriptedModel(asks(call('c1', 'quick'), call('c2', 'deaf'), call('c3', 'heeds')));
    expect(await drive(turn, model)).toEqual(aborted);
    expect(turn.results).toMatchObject([{ callId: 'c1', output: 'done' }, interrupted('c2'), interrupted('c3')]);
    expect(turn.results[0]).not.toHaveProperty('isInterrupted');
    expect(turn.trace).not.toContain('steering');
  });

  test('it starts no tool when the abort came while the answer was recorded, and still answers each call (P18)', async () => {
    let runs = 0;
    const turn = fakeTurn({ tools: [toolOf('pay', () => (runs += 1))], onRecord: (_, self) => self.interrupt() });
    expect(await drive(turn, scriptedModel(asks(call('c1', 'pay'), call('c2', 'fly'))))).toEqual(aborted);
    expect(runs).toBe(0);
    expect(turn.results).toMatchObject([interrupted('c1'), interrupted('c2')]);
  });

  test('it ends as aborted when the results cannot be recorded any more', async () => {
    const turn: FakeTurn = fakeTurn({
      tools: [
        toolOf('deaf', () => {
          turn.interrupt();
          turn.revoke();
          return never<string>();
        }),
      ],
    });
    const model = scriptedModel(asks(call('c1', 'deaf')));
    expect(await aiSdkDriver({ model }).runTurn(turn)).toEqual(aborted);
    expect(imbalanceOfLog(turn)).toContain('c1');
  });

  test('it shows the next turn a balanced history, the interrupted call included (H-1, G-2)', async () => {
    const first: FakeTurn = fakeTurn({
      tools: [
        toolOf('deaf', () => {
          first.interrupt();
          return never<string>();
        }),
      ],
    });
    await drive(first, scriptedModel(asks(call('c1', 'deaf'))));
    const history = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'go' }] }, ...first.log];
    const model = scriptedModel(says('I start again'));
    expect(await drive(fakeTurn({ history: [...history, ...history.slice(0, 1)] }), model)).toEqual({ stopReason: 'completed' });
    expect(model.prompts[0]?.[2]?.content[0]).toMatchObject({
      output: { type: 'error-text', value: expect.stringContaining('interrupted') },
    });
  });
});

describe('what comes after the end of a turn', () => {
  test('it is ignored: text, calls, an error and the results of tools change nothing and throw nothing (O-3, P31)', async () => {
    const toolEnds = Promise.withResolvers<string>();
    const toolFails = Promise.withResolvers<string>();
    const turn: FakeTurn = fakeTurn({
      tools: [
        toolOf('late', () => toolEnds.promise),
        toolOf('broken', () => {
          turn.interrupt();
          return toolFails.promise;
        }),
      ],
    });
    expect(await drive(turn, scriptedModel(asks(call('c1', 'late'), call('c2', 'broken'))))).toEqual(aborted);
    const before = structuredClone([turn.log, turn.deltas, turn.trace]);
    toolEnds.resolve('at last');
    toolFails.reject(new Error('too late'));
    await settleAll();
    expect([turn.log, turn.deltas, turn.trace]).toEqual(before);
  });

  test('it is ignored when a stream that was cut off goes on and then fails (O-3, P31)', async () => {
    const turn = fakeTurn({ onDelta: (_, self) => self.interrupt() });
    const parts = [...text('first'), ...text('second', 'later'), call('c9', 'look'), finish('stop')];
    const speech = openSpeech(...parts.slice(0, 3));
    expect(await drive(turn, scriptedModel(speech.stream))).toEqual(aborted);
    const before = structuredClone([turn.log, turn.deltas, turn.trace]);
    for (const part of parts.slice(3)) speech.push(part);
    speech.fail(new Error('too late'));
    await settleAll();
    expect([turn.log, turn.deltas, turn.trace]).toEqual(before);
  });

  test('it is ignored when a model that never heard the signal fails at last (P31)', async () => {
    const answer = Promise.withResolvers<never>();
    const turn = fakeTurn();
    const model = scriptedModel(() => {
      turn.interrupt();
      return answer.promise;
    });
    expect(await drive(turn, model)).toEqual(aborted);
    answer.reject(new Error('too late'));
    await settleAll();
    expect(turn.log).toEqual([]);
  });

  test('it leaves no listener on the signal', async () => {
    const turn = fakeTurn({ tools: [toolOf('look', () => 'seen')] });
    await drive(turn, scriptedModel(asks(call('c1', 'look')), says('done')));
    expect(getEventListeners(turn.signal, 'abort')).toEqual([]);
  });
});
