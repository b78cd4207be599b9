import { expect, test } from 'vitest';
import type { TurnEnd } from '../../src/agents/driver.ts';
import type { SubagentResult } from '../../src/providers/contract.ts';
import { textOf } from '../../src/sessions/content.ts';
import type { SubagentStopReason } from '../../src/sessions/event.ts';
import { gate } from '../support/gate.ts';
import { does, ends, ignoresStopAt, type Step, says, streams, throws, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

/** One child with these turns; what each of the four that hear of its end was told. */
async function lifeOf(turns: readonly (readonly Step[])[], prepare: (world: World) => void = () => undefined) {
  const world = openWorld();
  prepare(world);
  world.driver.script('worker', ...turns);
  const root = await world.openRoot();
  const child = await world.start(root.agent);
  const result = await child.result;
  await world.driver.turn('root');
  await world.rest();
  return { world, result, ...(await viewsOf(world, root.id, child.childId)), childId: child.childId };
}

async function viewsOf(world: World, rootId: string, childId: string) {
  const [end] = world.events.of('subagent/end');
  const [record] = await world.logOf(childId, 'activation/ended');
  const [notice] = await world.logOf(rootId, 'inbox/inserted');
  return { event: end, record: record?.data, notice: notice?.data, noticeText: textOf(notice?.data.content ?? []) };
}

const text = (words: string): SubagentResult['output'] => [{ type: 'text', text: words }];

test.each<readonly [string, readonly Step[], SubagentResult['output']]>([
  ['the last assistant message', [says('first'), says('last')], text('last')],
  ['the last that is not empty, since a call can report usage only', [says('answer'), says('')], text('answer')],
  ['the streamed text if none was recorded', [streams('half ', 'a word')], text('half a word')],
  ['the recorded message rather than what was streamed before it', [streams('drafty'), says('final')], text('final')],
  ['nothing if nothing was said', [], []],
])('the output is %s (S5.1)', async (_, steps, output) => {
  const { result } = await lifeOf([steps]);
  expect(result).toEqual({ output, stopReason: 'completed' });
});

test('a reasoning block, a tool call and what a vendor hung on a text are no output (S5.1, P30)', async () => {
  const { result } = await lifeOf([
    [
      does(async (turn) => {
        const vendor = { signature: 'x'.repeat(100_000) };
        await turn.record({
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'hm' },
            { type: 'text', text: 'said', vendor },
          ],
        });
      }),
    ],
  ]);
  expect(result.output).toEqual(text('said'));
});

test.each<SubagentStopReason>(['aborted', 'error', 'max-tokens', 'refusal'])(
  'an end for the reason %s is told alike by result, event, record and notice, with its evidence (S5.2, P04, P05)',
  async (reason) => {
    const { result, event, record, notice, noticeText } = await lifeOf([[says('half'), ends(reason, 'why it stopped')]]);
    expect(result).toEqual({ output: text('half'), stopReason: reason, diagnostic: 'why it stopped' });
    expect(event).toMatchObject({ stopReason: reason, lastAssistantMessage: text('half') });
    expect(record).toMatchObject({ stopReason: reason, diagnostic: 'why it stopped' });
    expect(notice?.source).toMatchObject({ summary: `worker ended: ${reason}` });
    expect(noticeText).toContain('Diagnostic: why it stopped');
    expect(noticeText).toContain('Partial text:\nhalf');
  },
);

test('a natural end is completed and carries no diagnostic (S5.2, S5.4)', async () => {
  const { result, record, noticeText } = await lifeOf([[says('done'), ends('completed', 'all went well')]]);
  expect(result).toEqual({ output: text('done'), stopReason: 'completed' });
  expect(record).not.toHaveProperty('diagnostic');
  expect(noticeText).toBe('Final text:\ndone');
});

test('a reason that the host has added keeps its name and counts as a failure (S5.2)', async () => {
  const { result, event, noticeText } = await lifeOf([[says('some'), ends('out-of-budget' as SubagentStopReason, 'spent')]]);
  expect(result).toEqual({ output: text('some'), stopReason: 'out-of-budget', diagnostic: 'spent' });
  expect(event?.stopReason).toBe('out-of-budget');
  expect(noticeText).toContain('Partial text:');
});

test.each<readonly [string, unknown, Partial<SubagentResult>]>([
  ['nothing at all', null, { diagnostic: 'the agent driver failed' }],
  ['no object', 'done', { diagnostic: 'the agent driver failed' }],
  ['no reason', {}, {}],
  ['a reason that is no word', { stopReason: 'line\nbreak \u001b[31m' }, {}],
  ['a reason of another type', { stopReason: { completed: true } }, {}],
  ['a diagnostic of another type', { stopReason: 'refusal', diagnostic: { raw: 'payload' } }, { stopReason: 'refusal' }],
])('a driver that ends a turn with %s has failed, and the runtime goes on (S5.2, P31)', async (_, end, expected) => {
  const { world, result } = await lifeOf([[says('x'), does(() => end as TurnEnd)]], (given) => {
    if (typeof end !== 'object' || end === null) given.expectFaults('driver');
  });
  expect(result).toEqual({ output: text('x'), stopReason: 'error', ...expected });
  expect(world.live).toBe(0);
});

test.each([
  ['throws', throws(new Error('token sk-CANARY at https://x.example/?key=CANARY'))],
  ['rejects', does(() => Promise.reject<undefined>({ body: 'CANARY', headers: { authorization: 'CANARY' } }))],
])(
  'a driver that %s ends as error, and nothing of what it threw is told to anybody but the host (S5.4, P38, T-1)',
  async (_, step) => {
    const { world, result, record, noticeText } = await lifeOf([[says('so far'), step]], (given) => given.expectFaults('driver'));
    expect(result).toEqual({ output: text('so far'), stopReason: 'error', diagnostic: 'the agent driver failed' });
    expect(record?.stopReason).toBe('error');
    const told = JSON.stringify([noticeText, world.events.all, await allLogs(world)]);
    expect(told).not.toContain('CANARY');
  },
);

async function allLogs(world: World): Promise<unknown> {
  const roots = await world.store.inner.roots();
  const children = await Promise.all(roots.map(({ header }) => world.store.inner.children(header.id)));
  return Promise.all([...roots.map(({ header }) => header.id), ...children.flat().map(({ data }) => data.id)].map(world.log));
}

test.each([
  ['one byte a character', 'a'.repeat(5_000), 4_096],
  ['three bytes a character', '\u20ac'.repeat(5_000), 4_095],
  ['four bytes a character', '\u{1f600}'.repeat(2_000), 4_096],
])('a diagnostic of %s is cut to 4,096 bytes between characters, in the log as well (S5.4, P30)', async (_, long, bytes) => {
  const { result, record, world, childId } = await lifeOf([[ends('error', long)]]);
  const [turn] = await world.logOf(childId, 'turn/ended');
  for (const diagnostic of [result.diagnostic, record?.diagnostic, turn?.data.diagnostic]) {
    expect(Buffer.byteLength(diagnostic ?? '')).toBe(bytes);
    expect(long.startsWith(diagnostic ?? '')).toBe(true);
  }
});

test.each([4_095, 4_096])('a diagnostic of %i bytes is left as it is (S5.4)', async (length) => {
  const { result } = await lifeOf([[ends('error', 'a'.repeat(length))]]);
  expect(result.diagnostic).toBe('a'.repeat(length));
});

test('a child that is disposed while it works is aborted, and keeps what it said (S5.2)', async () => {
  const world = openWorld();
  world.driver.script('worker', [says('half'), waitsAt()]);
  const root = await world.openRoot();
  const child = await world.start(root.agent);
  await world.driver.turn('worker');
  await child.dispose();
  expect(await child.result).toEqual({ output: text('half'), stopReason: 'aborted' });
});

test('a turn that is deaf is given up as aborted, and what it says later changes nothing (S5.2, P05, P24)', async () => {
  const world = openWorld();
  const place = gate();
  world.driver.script('worker', [says('half'), ignoresStopAt(place), says('late')]);
  const root = await world.openRoot();
  const child = await world.start(root.agent);
  await place.reached;
  const disposal = child.dispose().catch((error: unknown) => error);
  await world.advance(5_000);
  expect(await disposal).toMatchObject({ code: 'ACTIVATION_TEARDOWN_FAILED', cause: { code: 'TIMED_OUT' } });
  const result = await child.result;
  expect(result).toMatchObject({ output: text('half'), stopReason: 'aborted' });
  const before = await world.log(child.childId);
  place.open();
  await world.rest();
  expect(await world.log(child.childId)).toEqual(before);
  expect(await child.result).toBe(result);
});
