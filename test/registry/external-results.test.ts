import { expect, test } from 'vitest';
import type { SubagentResult } from '../../src/providers/contract.ts';
import { textOf } from '../../src/sessions/content.ts';
import { codeOf } from '../support/code-of.ts';
import { type RunPlan, scriptedProvider } from '../support/scripted-provider.ts';
import { openWorld, type World } from '../support/world.ts';

async function externalChild(plan: RunPlan = {}, world: World = openWorld()) {
  const remote = scriptedProvider();
  remote.plan(plan);
  world.runtime.registerProvider(remote);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { provider: 'remote' });
  const run = await remote.run();
  const notice = async () => {
    await world.driver.turn('root');
    const [message] = await world.logOf(root.id, 'inbox/inserted');
    return message?.data;
  };
  return { world, root, child, run, notice };
}

const text = (words: string): SubagentResult['output'] => [{ type: 'text', text: words }];

test('what an external child ends with reaches caller, parent and listeners alike (S5.1, S3.9)', async () => {
  const { world, child, run, notice } = await externalChild();
  run.settle({ output: text('found it') });
  expect(await child.result).toEqual({ output: text('found it'), stopReason: 'completed' });
  expect(await notice()).toMatchObject({
    messageId: 'remote-1:1',
    source: { kind: 'subagent-settled', form: 'notice', summary: 'worker ended: completed', senderSessionId: 'remote-1' },
    content: [{ text: 'Final text:\n' }, { text: 'found it' }],
  });
  expect(world.events.of('subagent/end')).toMatchObject([
    { id: 'remote-1', local: false, stopReason: 'completed', lastAssistantMessage: text('found it') },
  ]);
  expect(run.disposals).toBe(1);
});

test.each<readonly [string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'done'],
  ['no output', { stopReason: 'completed' }],
  ['output that is no list', { output: 'done', stopReason: 'completed' }],
  ['a block of nothing', { output: [null], stopReason: 'completed' }],
  ['a block of another type', { output: [{ type: 'tool-call', input: {} }], stopReason: 'completed' }],
  ['a text block without text', { output: [{ type: 'text', text: 5 }], stopReason: 'completed' }],
])(
  'a run that ends with %s rejects the result, and the parent hears of an error all the same (S1.4, P01, P31)',
  async (_, said) => {
    const { world, child, run, notice } = await externalChild({ result: said as SubagentResult });
    await expect(child.result).rejects.toMatchObject({ code: 'PROVIDER_FAILED' });
    const message = await notice();
    expect(message?.source).toMatchObject({ summary: 'worker ended: error' });
    expect(textOf(message?.content ?? [])).toContain('the provider failed to say how its run ended');
    expect(world.events.lives()).toEqual(['start worker', 'end worker error']);
    expect(run.isGone).toBe(true);
  },
);

test.each<readonly [string, unknown]>([
  ['an error', new Error('GET https://x.example/?key=CANARY failed')],
  ['anything', { CANARY: true }],
])(
  'a run whose result rejects with %s rejects the result; the parent hears of an error and of no more (S1.4, S5.4, A-1)',
  async (_, error) => {
    const { world, root, child, notice } = await externalChild({ resultError: error });
    await expect(child.result).rejects.toMatchObject({ code: 'PROVIDER_FAILED', cause: error });
    await notice();
    expect(world.events.lives()).toEqual(['start worker', 'end worker error']);
    expect(JSON.stringify([world.events.all, await world.log(root.id)])).not.toContain('CANARY');
  },
);

test('only the known fields of a result travel on (S5.4, P30)', async () => {
  const block = { type: 'text', text: 'x', raw: 'CANARY' } as const;
  const { world, root, child, run, notice } = await externalChild();
  run.settle({ output: [block], debug: 'CANARY' } as Partial<SubagentResult>);
  expect(await child.result).toEqual({ output: text('x'), stopReason: 'completed' });
  await notice();
  expect(JSON.stringify([world.events.all, await world.log(root.id)])).not.toContain('CANARY');
});

test('a run that settles only when it is disposed is aborted (S5.2)', async () => {
  const { child } = await externalChild();
  await child.dispose();
  expect(await child.result).toEqual({ output: [], stopReason: 'aborted' });
});

test.each<readonly [string, (run: { settle(result: Partial<SubagentResult>): void; reject(error: unknown): void }) => void]>([
  ['answers', (run) => run.settle({ output: text('late') })],
  ['fails', (run) => run.reject(new Error('late'))],
])('a run that was given up and %s later changes nothing any more (P05, P24, O-3)', async (_, speak) => {
  const { world, root, child, run } = await externalChild({ neverSettles: true });
  const disposal = codeOf(child.dispose());
  await world.advance(5_000);
  expect(await disposal).toBe('done');
  const result = await child.result;
  expect(result).toMatchObject({ output: [], stopReason: 'aborted' });
  await world.rest();
  const before = await world.log(root.id);
  const told = world.events.all.length;
  speak(run);
  await world.rest();
  expect(await world.log(root.id)).toEqual(before);
  expect(world.events.all).toHaveLength(told);
  expect(await child.result).toBe(result);
});

test('a run that was given up and answers while it is still being disposed is aborted all the same (P05)', async () => {
  const { world, child, run } = await externalChild({ neverSettles: true });
  const disposal = codeOf(child.dispose());
  await world.clock.advanceAndSettle(4_999);
  world.clock.advance(1);
  run.settle({ output: text('late') });
  expect(await disposal).toBe('done');
  expect(await child.result).toMatchObject({ output: [], stopReason: 'aborted' });
});

test('the signal that a provider was given fires when its run is disposed, before it is asked to (S1.6)', async () => {
  const { child, run } = await externalChild();
  const fired: number[] = [];
  run.signal.addEventListener('abort', () => fired.push(run.disposals));
  await child.dispose();
  expect(fired).toEqual([0]);
  expect(run.disposals).toBe(1);
});
