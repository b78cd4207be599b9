import { stepCountIs, streamText } from 'ai';
import { describe, expect, test } from 'vitest';
import { aiSdkDriver, toAiSdkTools } from '../../src/agents/drivers/ai-sdk.ts';
import { textOf } from '../../src/sessions/content.ts';
import { delegateTool } from '../../src/tools/delegate.ts';
import {
  asks,
  call,
  type Script,
  type ScriptedModel,
  type Speech,
  scriptedModel,
  says as speaks,
} from '../support/scripted-model.ts';
import { ends, says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const input = (more = {}) => ({ description: 'worker', prompt: 'look', run_in_background: false, ...more });

/** What the model was shown of tool results in its last call. */
function resultsShown({ prompts }: ScriptedModel): readonly unknown[] {
  return (prompts.at(-1) ?? []).flatMap(({ role, content }) =>
    role === 'tool' ? content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : [])) : [],
  );
}

describe('in an AI SDK loop of the host', () => {
  async function host(...scripts: readonly (Script | Speech)[]) {
    const world = openWorld();
    const notices: string[] = [];
    const root = await world.attachRoot({ deliver: ({ content }) => void notices.push(textOf(content)) });
    const tools = () => toAiSdkTools([delegateTool({ runtime: world.runtime, provider: 'spawn' })], root.agent);
    const model = scriptedModel(...scripts);
    const run = async (abortSignal = new AbortController().signal) => {
      const stream = streamText({
        model,
        tools: tools(),
        prompt: 'begin',
        abortSignal,
        stopWhen: stepCountIs(5),
        onError: () => undefined,
      });
      await stream.consumeStream();
      return stream;
    };
    return { world, root, tools, model, run, notices };
  }

  test('the model delegates, and goes on with the answer of the child (S8.1, S8.5)', async () => {
    const { world, model, run, notices } = await host(asks(call('c1', 'delegate', input())), speaks('all done'));
    world.driver.script('worker', [says('the answer')]);
    expect(await (await run()).text).toBe('all done');
    expect(resultsShown(model)).toEqual([{ type: 'text', value: 'the answer' }]);
    await world.rest();
    expect([world.live, notices]).toEqual([0, []]);
  });

  test('several calls of one answer run side by side (S8.1)', async () => {
    const { world, model, run } = await host(
      asks(call('c1', 'delegate', input({ description: 'one' })), call('c2', 'delegate', input({ description: 'two' }))),
      speaks('done'),
    );
    const both = Promise.all([world.driver.turn('one'), world.driver.turn('two')]);
    // neither ends before both have begun
    for (const label of ['one', 'two']) {
      world.driver.script(label, [async () => void (await both), says(`${label} found it`)]);
    }
    await run();
    expect(resultsShown(model)).toEqual([
      { type: 'text', value: 'one found it' },
      { type: 'text', value: 'two found it' },
    ]);
  });

  test('an end that is not completed reaches the model as a tool error (S8.1)', async () => {
    const { world, model, run } = await host(asks(call('c1', 'delegate', input())), speaks('I see'));
    world.driver.script('worker', [says('half'), ends('max-tokens', 'ceiling')]);
    await run();
    expect(resultsShown(model)).toMatchObject([
      { type: 'error-text', value: expect.stringMatching(/ended: max-tokens\nceiling\nPartial text:\nhalf$/) },
    ]);
  });

  test('input that breaks the schema reaches the model as a tool error, and nothing was started (S8.5)', async () => {
    const { world, root, model, run } = await host(asks(call('c1', 'delegate', { prompt: 'look' })), speaks('sorry'));
    await run();
    expect(resultsShown(model)).toMatchObject([{ type: 'error-text' }]);
    expect(await world.runtime.listChildren(root.id)).toEqual([]);
  });

  test('in the background the loop goes on at once, and the outcome is delivered to the host (S8.1, S3.9)', async () => {
    const { world, model, run, notices } = await host(
      asks(call('c1', 'delegate', input({ run_in_background: true }))),
      speaks('it is under way'),
    );
    world.driver.script('worker', [says('found')]);
    await run();
    expect(resultsShown(model)).toMatchObject([{ type: 'text', value: expect.stringMatching(/^started subagent \w{26}$/) }]);
    await world.events.first('subagent/end');
    await world.rest();
    expect(notices).toEqual(['Final text:\nfound']);
  });

  test('stopping the loop stops the child that it waits for (S8.1)', async () => {
    const { world, run, notices } = await host(asks(call('c1', 'delegate', input())));
    world.driver.script('worker', [waitsAt()]);
    const abort = new AbortController();
    const running = run(abort.signal);
    await world.driver.turn('worker');
    abort.abort();
    await running;
    await world.events.first('subagent/end');
    await world.rest();
    expect(world.events.lives()).toEqual(['start worker', 'end worker aborted']);
    expect([world.live, notices]).toEqual([0, []]);
  });

  test('it is not among the tools once its provider has left (S8.1)', async () => {
    const world = openWorld();
    const root = await world.attachRoot();
    const delegate = delegateTool({ runtime: world.runtime, provider: 'late' });
    expect(toAiSdkTools([delegate], root.agent)).toEqual({});
  });
});

test('an agent on the AI SDK driver delegates to children on it, and hears of each outcome once (S8.1, S3.9, P15)', async () => {
  const world = openWorld();
  const parent = scriptedModel(
    asks(
      call('c1', 'delegate', input({ model: 'child' })),
      call('c2', 'delegate', input({ model: 'child', run_in_background: true })),
    ),
    speaks('one is in'),
    speaks('both are in'),
  );
  const child = scriptedModel(speaks('found it'), speaks('found it'));
  const driver = aiSdkDriver({ maxRetries: 0, model: ({ model }) => (model === 'child' ? child : parent) });
  const tools = [delegateTool({ runtime: world.runtime, provider: 'spawn', models: ['child'] })];
  const root = await world.openRoot({ composition: { driver, tools } });
  await root.ask('begin');
  await world.rest();
  await root.whenQuiet();
  expect([...parent.faults, ...child.faults]).toEqual([]);
  const { transcript } = await world.runtime.readSession(root.id);
  const told = transcript.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type === 'text') return block.text.includes('found it') ? ['notice'] : [];
      return block.type === 'tool-result' && block.output === 'found it' ? ['result'] : [];
    }),
  );
  expect(told.toSorted()).toEqual(['notice', 'result']);
});

test('called as a plain function of the AI SDK it answers the same (S8.5)', async () => {
  const world = openWorld();
  const root = await world.attachRoot();
  world.driver.script('worker', [says('the answer')]);
  const { delegate } = toAiSdkTools([delegateTool({ runtime: world.runtime, provider: 'spawn' })], root.agent);
  const options = { toolCallId: 'c', messages: [], context: undefined as never };
  expect(await delegate?.execute?.(input(), options)).toBe('the answer');
});
