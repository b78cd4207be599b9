import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import type { SubagentProvider } from '../../src/providers/contract.ts';
import { textOf } from '../../src/sessions/content.ts';
import type { JsonValue } from '../../src/sessions/json.ts';
import { type DelegateOptions, delegateTool } from '../../src/tools/delegate.ts';
import { gate } from '../support/gate.ts';
import { type RunPlan, scriptedProvider } from '../support/scripted-provider.ts';
import { callsTogether, callsTool, does, ends, type Step, says, submits, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type WorldSetup } from '../support/world.ts';

/** A root that has the tool, and how a call of it from outside a turn ends. */
async function withTool(given: Partial<DelegateOptions> = {}, setup: WorldSetup = {}, ...providers: SubagentProvider[]) {
  const world = openWorld(setup);
  for (const provider of providers) world.runtime.registerProvider(provider);
  const tool = delegateTool({ runtime: world.runtime, provider: 'spawn', ...given });
  const root = await world.openRoot({ composition: { ...world.composition, tools: [tool] } });
  const call = async (input: JsonValue = task({}), signal = new AbortController().signal): Promise<JsonValue> =>
    tool.execute(input, { agent: root.agent, signal, callId: 'c1', idempotencyKey: 'k1' });
  return { world, tool, root, call };
}

const task = (more: Record<string, JsonValue>): JsonValue => ({ description: 'worker', prompt: 'look', ...more });
const wait = task({ run_in_background: false });
const later = task({ run_in_background: true });

/** Texts of the notices in a log. */
async function notices(world: Awaited<ReturnType<typeof withTool>>['world'], id: string): Promise<string[]> {
  const inserted = await world.logOf(id, 'inbox/inserted');
  return inserted.flatMap(({ data }) => (data.source.kind === 'subagent-settled' ? [textOf(data.content)] : []));
}

describe('in the foreground', () => {
  test('the call waits for the final text, disposes of the child, and no notice comes as well (S8.1, P15)', async () => {
    const { world, root, call } = await withTool();
    world.driver.script('worker', [says('thinking'), says('the answer')]);
    expect(await call(wait)).toBe('the answer');
    await world.rest();
    expect(world.live).toBe(0);
    expect(await notices(world, root.id)).toEqual([]);
    expect(world.driver.turnsOf('worker')[0]?.prompts).toEqual(['look']);
  });

  test('the call gives the structured value where one is asked for (S8.1)', async () => {
    const outputSchema = { type: 'object', required: ['n'] } as const;
    const { world, call } = await withTool({ outputSchema });
    world.driver.script('worker', [submits({ n: 1 }), says('prose')]);
    expect(await call(wait)).toEqual({ n: 1 });
  });

  test.each<readonly [string, readonly Step[], string]>([
    ['nothing but a reason', [ends('refusal')], 'ended: refusal'],
    ['a diagnostic', [ends('error', 'the limit of 3 steps')], 'ended: error\nthe limit of 3 steps'],
    ['partial text', [says('half'), ends('max-tokens', 'ceiling')], 'ended: max-tokens\nceiling\nPartial text:\nhalf'],
    ['a reason of the host’s', [ends('out-of-budget' as never)], 'ended: out-of-budget'],
  ])(
    'a child that ends with %s is a tool error: reason, diagnostic, partial text, in that order (S8.1, P04)',
    async (_, steps, said) => {
      const { world, call } = await withTool();
      world.driver.script('worker', steps);
      await expect(call(wait)).rejects.toThrow(new RegExp(`^subagent \\w+ ${said}$`));
      expect(world.live).toBe(0);
    },
  );

  test('a call that is aborted stops its child, ends as a tool error and leaves no notice (S8.1)', async () => {
    const { world, root, call } = await withTool();
    const abort = new AbortController();
    world.driver.script('worker', [says('half'), waitsAt()]);
    const outcome = call(wait, abort.signal).catch((error: Error) => error.message);
    await world.driver.turn('worker');
    abort.abort();
    expect(await outcome).toMatch(/ended: aborted\nPartial text:\nhalf$/);
    await world.rest();
    expect(world.live).toBe(0);
    expect(await notices(world, root.id)).toEqual([]);
  });

  test('a run is disposed however it ends, and a failed disposal does not replace its answer (S8.1, S1.4)', async () => {
    const remote = scriptedProvider();
    const { world, call } = await withTool({ provider: 'remote' }, {}, remote);
    world.expectFaults('dispose');
    remote.plan({ result: done('answer'), disposeError: new Error('stuck') }, { resultError: new Error('CANARY') });
    expect(await call(wait)).toBe('answer');
    const failure = await call(wait).catch((error: Error) => error.message);
    expect(failure).toBe('the provider failed to say how its run ended');
    expect(remote.runs.map(({ disposals }) => disposals)).toEqual([1, 1]);
  });

  test('an answer over the bound is cut and says how large it is and where the whole is (N-1, P30)', async () => {
    const { world, call } = await withTool({ outputSchema: { type: 'object' } }, { limits: { resultBytes: 1_000 } });
    world.driver.script('worker', [submits({ big: 'x'.repeat(5_000) })]);
    const value = await call(wait);
    const [child] = world.events.of('subagent/start');
    expect(value).toBe(`[the structured result has 5010 bytes; the whole is kept under the id ${child?.id}]`);
  });
});

const done = (text: string): NonNullable<RunPlan['result']> => ({ output: [{ type: 'text', text }], stopReason: 'completed' });

describe('in the background', () => {
  test('the call returns the id at acceptance, and the outcome comes once, as a notice (S8.1, S3.9, P15)', async () => {
    const { world, root, call } = await withTool();
    const place = gate();
    world.driver.script('worker', [waitsAt(place), says('found')]);
    const answer = await call(later);
    await place.reached;
    const [child] = await world.runtime.listChildren(root.id);
    expect(answer).toBe(`started subagent ${child?.id}`);
    place.open();
    await world.driver.turn('root');
    await world.rest();
    expect(await notices(world, root.id)).toEqual(['Final text:\nfound']);
  });

  test('an abort of the call does not reach a child that was accepted (S8.1, S1.6)', async () => {
    const { world, call } = await withTool();
    const abort = new AbortController();
    const place = gate();
    world.driver.script('worker', [waitsAt(place), says('found')]);
    await call(later, abort.signal);
    await place.reached;
    abort.abort();
    place.open();
    const end = await world.events.first('subagent/end');
    expect(end.stopReason).toBe('completed');
  });

  test.each([
    ['spawn', true],
    ['remote', false],
  ])('it is the default of %s: %s (S8.1)', async (provider, isBackground) => {
    const remote = scriptedProvider();
    remote.plan({ result: done('answer') });
    const { call } = await withTool({ provider }, {}, remote);
    expect(String(await call()).startsWith('started subagent')).toBe(isBackground);
  });

  test('the default can be configured either way (S8.1)', async () => {
    expect(await (await withTool({ background: false })).call()).toBe('ok');
    const remote = scriptedProvider();
    expect(await (await withTool({ provider: 'remote', background: true }, {}, remote)).call()).toBe('started subagent remote-1');
  });
});

describe('a refusal is an error that says that nothing was started', () => {
  test.each<readonly [string, Partial<DelegateOptions>, WorldSetup, string]>([
    ['no provider', { provider: 'nobody' }, {}, 'UNKNOWN_PROVIDER'],
    ['no room', {}, { capacity: { perRoot: 0 } }, 'ACTIVATION_LIMIT_REACHED'],
    ['too deep', { maxDepth: 0 }, {}, 'DEPTH_EXCEEDED'],
    ['too many children', {}, { limits: { childrenPerAgent: 0 } }, 'CHILD_LIMIT_REACHED'],
    ['too large', {}, { limits: { messageBytes: 1 } }, 'MESSAGE_TOO_LARGE'],
  ])('%s (S8.1)', async (_, options, setup, code) => {
    const { world, root, call } = await withTool(options, setup);
    const failure = await call(later).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, message: expect.stringMatching(/; nothing was started$/) });
    expect(await world.runtime.listChildren(root.id)).toEqual([]);
  });

  test('a provider that cannot start one, without its words (S8.1, P38)', async () => {
    const remote = scriptedProvider();
    remote.plan({ startError: new Error('connect https://x/?key=CANARY') });
    const { call } = await withTool({ provider: 'remote' }, {}, remote);
    const failure = await call(wait).catch((error: Error) => error.message);
    expect(failure).toBe('provider "remote" could not start a child; nothing was started');
  });

  test('but not where nobody knows: then it says so (S8.1, P17)', async () => {
    const { world, call } = await withTool();
    world.expectFaults('undo of a start');
    world.store.inject({ at: { method: 'create' }, fault: 'reject', error: new SubagentError('OUTCOME_UNKNOWN', 'no word') });
    world.store.inject({ at: { method: 'head' }, fault: 'reject', error: new Error('down') });
    const failure = await call(later).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'OUTCOME_UNKNOWN', message: 'no word; it may have taken effect all the same' });
  });
});

test('calls of one answer run side by side, each with an outcome of its own (S8.1)', async () => {
  const { world, root } = await withTool();
  const place = gate();
  for (const label of ['one', 'two', 'three']) world.driver.script(label, [waitsAt(place), says(`${label} is done`)]);
  world.driver.script('root', [
    callsTogether(
      ...['one', 'two', 'three'].map(
        (label) => ['delegate', { description: label, prompt: 'go', run_in_background: false }] as const,
      ),
    ),
    does(() => undefined),
  ]);
  await root.prompt('all three');
  await Promise.all(['one', 'two', 'three'].map((label) => world.driver.turn(label)));
  expect(world.live).toBe(3);
  place.open();
  await root.whenQuiet();
  const results = world.driver.turnsOf('root')[0]?.results ?? [];
  expect(results.map(({ output, isError }) => [output, isError ?? false])).toEqual([
    ['one is done', false],
    ['two is done', false],
    ['three is done', false],
  ]);
});

test('a child delegates on through the same tool, up to the limit of depth (S8.1, S8.5, I-1)', async () => {
  const { world, root } = await withTool({}, { limits: { depthMax: 2 } });
  const deeper = (label: string) => callsTool('delegate', { description: label, prompt: 'go', run_in_background: false });
  world.driver.script('root', [deeper('one')]);
  world.driver.script('one', [deeper('two'), says('one')]);
  let isOffered: boolean | undefined;
  world.driver.script('two', [
    does((turn) => {
      isOffered = turn.tools.some(({ name }) => name === 'delegate');
    }),
    says('two'),
  ]);
  await root.ask('go deep');
  expect(world.driver.turnsOf('one')[0]?.results).toMatchObject([{ output: 'two' }]);
  expect(isOffered).toBe(false);
});
