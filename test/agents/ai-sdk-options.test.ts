import { NoSuchModelError } from '@ai-sdk/provider';
import { MockLanguageModelV3 } from 'ai/test';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { aiSdkDriver } from '../../src/agents/drivers/ai-sdk.ts';
import type { AgentOptions } from '../../src/sessions/event.ts';
import { drive } from '../support/drive.ts';
import { fakeTurn } from '../support/fake-turn.ts';
import { type ModelPart, says, scriptedModel, text } from '../support/scripted-model.ts';

const completed = { stopReason: 'completed' };

afterEach(() => {
  vi.restoreAllMocks();
  globalThis.AI_SDK_LOG_WARNINGS = undefined;
  globalThis.AI_SDK_DEFAULT_PROVIDER = undefined;
});

describe('the model of an agent', () => {
  const known = (names: string[]) => ({
    model: ({ model = 'default' }: AgentOptions) => {
      if (names.includes(model)) return scriptedModel(says(`I am ${model}`));
      throw new NoSuchModelError({ modelId: model, modelType: 'languageModel' });
    },
  });

  test('it is what the factory finds for the options, asked anew for each turn (S1.14)', async () => {
    const driver = aiSdkDriver(known(['default', 'big']));
    const turns = [fakeTurn(), fakeTurn({ options: { model: 'big' } })];
    for (const turn of turns) expect(await driver.runTurn(turn)).toEqual(completed);
    expect(turns.map(({ said }) => said)).toEqual(['I am default', 'I am big']);
  });

  test('it is refused by validate when the factory finds none, by its name (S1.7)', async () => {
    const driver = aiSdkDriver(known(['default']));
    await expect(driver.validate?.({})).resolves.toBeUndefined();
    await expect(driver.validate?.({ provider: 'acme', model: 'huge' })).rejects.toMatchObject({
      code: 'UNSUPPORTED_CAPABILITY',
      message: 'the driver has no model "huge" of provider "acme" to run this agent',
      cause: expect.any(NoSuchModelError),
    });
    const nothing = aiSdkDriver({ model: () => undefined as never });
    await expect(nothing.validate?.({})).rejects.toMatchObject({ code: 'UNSUPPORTED_CAPABILITY' });
  });

  test('it is missed at the turn too, which then ends as error and repeats nothing of the cause (P38)', async () => {
    const driver = aiSdkDriver({ model: () => Promise.reject(new Error('CANARY')) });
    expect(await driver.runTurn(fakeTurn({ options: { model: 'huge' } }))).toEqual({
      stopReason: 'error',
      diagnostic: 'the driver has no model "huge" to run this agent',
    });
  });

  test('it is the one model, and options that name another are refused and not ignored (S1.7)', async () => {
    const driver = aiSdkDriver({ model: scriptedModel(says('hello')) });
    for (const options of [{}, { model: 'mock-model-id' }, { provider: 'mock-provider', model: 'mock-model-id' }]) {
      await expect(driver.validate?.(options)).resolves.toBeUndefined();
    }
    for (const options of [{ model: 'huge' }, { provider: 'acme' }]) {
      await expect(driver.validate?.(options)).rejects.toMatchObject({ code: 'UNSUPPORTED_CAPABILITY' });
    }
    const named = aiSdkDriver({ model: Object.assign(scriptedModel(), { provider: 'openai.responses' }) });
    await expect(named.validate?.({ provider: 'openai' })).resolves.toBeUndefined();
  });

  test('it is one of the default provider when it is a plain name', async () => {
    const model = scriptedModel(says('hello'));
    globalThis.AI_SDK_DEFAULT_PROVIDER = { specificationVersion: 'v4', languageModel: () => model } as never;
    const turn = fakeTurn();
    expect(await aiSdkDriver({ model: 'acme/big' }).runTurn(turn)).toEqual(completed);
    expect(turn.said).toBe('hello');
  });

  test('it may be one of the older specification 3', async () => {
    const stream = new ReadableStream<ModelPart>({
      start(controller) {
        for (const part of says('hello')) controller.enqueue(part);
        controller.close();
      },
    });
    const model = new MockLanguageModelV3({ doStream: async () => ({ stream }) as never });
    const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
    const turn = fakeTurn({ history: [{ role: 'user', content: [image] }] });
    expect(await aiSdkDriver({ model }).runTurn(turn)).toEqual(completed);
    expect(turn.said).toBe('hello');
    expect(model.doStreamCalls[0]?.prompt[0]?.content[0]).toMatchObject({ type: 'file', data: 'aGk=' });
  });
});

describe('the settings of a model call', () => {
  const settingsFor = async (options: AgentOptions, driver: Parameters<typeof drive>[2] = {}) => {
    const model = scriptedModel(says('ok'));
    await drive(fakeTurn({ options }), model, driver);
    const { maxOutputTokens, reasoning, providerOptions } = model.doStreamCalls[0] ?? {};
    return { maxOutputTokens, reasoning, providerOptions };
  };

  test('it bounds the answer by maxTokens and passes on the reasoning effort and provider options (S1.14)', async () => {
    const providerOptions = { acme: { cache: true } };
    expect(await settingsFor({ maxTokens: 100, reasoningEffort: 'high' }, { providerOptions })).toEqual({
      ...{ maxOutputTokens: 100, reasoning: 'high', providerOptions },
    });
  });

  test('it leaves to the provider what nobody asked for', async () => {
    expect(await settingsFor({})).toMatchObject({ maxOutputTokens: undefined, reasoning: undefined });
  });

  test('it refuses a setting that no model takes, at validate and at the turn (S1.7)', async () => {
    const driver = aiSdkDriver({ model: scriptedModel() });
    for (const options of [{ reasoningEffort: 'toString' }, { maxTokens: 0 }, { maxTokens: 1.5 }]) {
      await expect(driver.validate?.(options)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      expect(await driver.runTurn(fakeTurn({ options }))).toMatchObject({ stopReason: 'error' });
    }
  });
});

describe('the options of the driver', () => {
  test('it says that images are taken only if it was told so (S3.7)', () => {
    const takes = (acceptsImages?: boolean | ((options: AgentOptions) => boolean)) => {
      const driver = aiSdkDriver({ model: scriptedModel(), ...(acceptsImages !== undefined && { acceptsImages }) });
      return driver.acceptsImages?.({ model: 'big' });
    };
    expect([takes(), takes(true), takes(({ model }) => model === 'big'), takes(() => false)]).toEqual([false, true, true, false]);
  });

  test.each([
    { stepsMax: 0 },
    { stepsMax: Number.NaN },
    { maxRetries: -1 },
    { toolResultBytesMax: 0 },
    { toolResultBytesMax: 1.5 },
  ])('it refuses %o', (options) => {
    expect(() => aiSdkDriver({ model: scriptedModel(), ...options })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(Object.keys(options)[0] ?? '') }),
    );
  });
});

describe('warnings of a model', () => {
  const warning = { type: 'unsupported', feature: 'reasoning' } as const;
  const warned: ModelPart[] = [{ type: 'stream-start', warnings: [warning] }, ...says('ok').slice(1)];
  const noises = () => [
    vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined),
    ...(['log', 'warn', 'error'] as const).map((method) => vi.spyOn(console, method).mockImplementation(() => undefined)),
  ];
  const count = (spies: ReturnType<typeof noises>) => spies.map(({ mock }) => mock.calls.length);

  test('it prints none, and sets no global to achieve that', async () => {
    const spies = noises();
    await drive(fakeTurn(), scriptedModel(warned));
    expect(count(spies)).toEqual([0, 0, 0, 0]);
    expect(globalThis.AI_SDK_LOG_WARNINGS).toBeUndefined();
  });

  test('it leaves them to a host that has set the global of the SDK', async () => {
    const heard: unknown[] = [];
    globalThis.AI_SDK_LOG_WARNINGS = ({ warnings }) => heard.push(...warnings);
    await drive(fakeTurn(), scriptedModel(warned));
    expect(heard).toEqual([warning]);
  });

  test('it prints no error of a model either (T-1, P38)', async () => {
    const spies = noises();
    await drive(fakeTurn(), scriptedModel([...text('so far'), { type: 'error', error: new Error('CANARY') }]));
    await drive(
      fakeTurn(),
      scriptedModel(() => Promise.reject(new Error('CANARY'))),
    );
    expect(count(spies)).toEqual([0, 0, 0, 0]);
  });
});
