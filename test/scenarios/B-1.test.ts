/** B-1: what was stopped by a limit is not completed, whoever asks, and its evidence is kept. */
import { describe, expect, test } from 'vitest';
import { aiSdkDriver } from '../../src/agents/drivers/ai-sdk.ts';
import type { AgentTool } from '../../src/agents/tool.ts';
import { textOf } from '../../src/sessions/content.ts';
import type { SubagentStopReason } from '../../src/sessions/event.ts';
import { gate } from '../support/gate.ts';
import {
  asks,
  call,
  finish,
  type ModelPart,
  type Script,
  scriptedModel,
  says as speaks,
  text,
} from '../support/scripted-model.ts';
import { does, says, ends as turnEnds, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const look: AgentTool = { name: 'look', description: 'looks', inputSchema: { type: 'object' }, execute: () => 'seen' };

/** One step that says what it found and looks on. */
const finding = (nth: number): ModelPart[] => [
  { type: 'stream-start', warnings: [] },
  ...text(`finding ${nth}`),
  call(`c${nth}`, 'look'),
  finish('tool-calls'),
];

/** A child on the AI SDK driver with this script, below a root that only listens. */
async function childWith(scripts: readonly (Script | ModelPart[])[], stepsMax = 10) {
  const world = openWorld();
  const model = scriptedModel(...scripts);
  const driver = aiSdkDriver({ model, stepsMax, maxRetries: 0 });
  const told: { text: string; summary: string }[] = [];
  const root = await world.attachRoot({
    composition: { driver, tools: [look] },
    deliver: ({ content, source }) =>
      void told.push({ text: textOf(content), summary: 'summary' in source ? source.summary : '' }),
  });
  const child = await world.start(root.agent);
  const result = await child.result;
  await world.rest();
  return { world, model, root, child, result, told };
}

/** The end as the four tell it: waiting, notice, event, record. */
async function fourViews({ world, child, result, told }: Awaited<ReturnType<typeof childWith>>) {
  const [end] = world.events.of('subagent/end');
  const records = await world.logOf(child.childId, 'activation/ended');
  expect([told.length, records.length, world.events.of('subagent/end').length]).toEqual([1, 1, 1]);
  const record = records[0]?.data;
  return {
    reasons: [result.stopReason, told[0]?.summary.replace('worker ended: ', ''), end?.stopReason, record?.stopReason],
    diagnostics: [result.diagnostic, record?.diagnostic],
    notice: told[0]?.text,
    lastWords: [textOf(result.output), textOf(end?.lastAssistantMessage ?? [])],
  };
}

const thirty = Array.from({ length: 30 }, (_, nth) => finding(nth + 1));

test.each<readonly [string, readonly (Script | ModelPart[])[], SubagentStopReason, string, string]>([
  ['its limit of steps', thirty, 'error', 'stopped at the limit of 10 steps (model calls) for one turn', 'finding 10'],
  [
    'the ceiling of output tokens',
    [finding(1), [{ type: 'stream-start', warnings: [] }, ...text('half a find'), finish('length')]],
    'max-tokens',
    'the model reached its limit of output tokens',
    'half a find',
  ],
  [
    'a stream that closes right behind a tool result',
    [finding(1), []],
    'error',
    "the model's answer broke off: its stream closed without a finish",
    'finding 1',
  ],
  [
    'a filter',
    [finding(1), [{ type: 'stream-start', warnings: [] }, finish('content-filter')]],
    'refusal',
    "the model's content filter stopped the answer",
    'finding 1',
  ],
  [
    'a call for tools that names none',
    [finding(1), [{ type: 'stream-start', warnings: [] }, finish('tool-calls')]],
    'error',
    'the model announced tool calls and made none',
    'finding 1',
  ],
])(
  'a child stopped by %s says so in all four views, with what it had found (B-1, P04, P30)',
  async (_, scripts, reason, diagnostic, found) => {
    const life = await childWith(scripts);
    const views = await fourViews(life);
    expect(life.model.faults).toEqual([]);
    expect(views.reasons).toEqual([reason, reason, reason, reason]);
    expect(views.diagnostics).toEqual([diagnostic, diagnostic]);
    expect(views.notice).toBe(`Diagnostic: ${diagnostic}\nPartial text:\n${found}`);
    expect(views.lastWords).toEqual([found, found]);
  },
);

test('a child that uses all its steps and answers in the last has completed (B-1, P04)', async () => {
  const life = await childWith([...thirty.slice(0, 9), speaks('all found')]);
  const views = await fourViews(life);
  expect(views.reasons).toEqual(['completed', 'completed', 'completed', 'completed']);
  expect(views.notice).toBe('Final text:\nall found');
});

test('a child that its host stops by the clock is aborted in all four views (B-1, P04)', async () => {
  const world = openWorld();
  world.driver.script('worker', [says('half'), waitsAt()]);
  const root = await world.openRoot();
  const child = await world.start(root.agent);
  await world.driver.turn('worker');
  world.clock.schedule(60_000, () => void child.dispose());
  await world.advance(60_000);
  expect((await child.result).stopReason).toBe('aborted');
  await world.rest();
  expect((await world.logOf(child.childId, 'activation/ended')).map(({ data }) => data.stopReason)).toEqual(['aborted']);
  expect(world.events.lives()).toEqual(['start worker', 'end worker aborted']);
  expect((await world.inserted(root.id)).join()).toContain('Partial text:\nhalf');
});

describe('an end in between is no end', () => {
  /** The texts that the parent was told, at the moment and at the end. */
  async function ends(world: World, rootId: string): Promise<number> {
    await world.rest();
    const told = (await world.logOf(rootId, 'inbox/inserted')).filter(({ data }) => data.source.kind === 'subagent-settled');
    return told.length + world.events.of('subagent/end').length;
  }

  test('nothing is told after a turn behind which work waits, and the final text is the last one (B-1, B06)', async () => {
    const world = openWorld();
    const [first, second] = [gate(), gate()];
    world.driver.script('worker', [waitsAt(first), says('interim')], [waitsAt(second), says('the real end')]);
    const root = await world.openRoot();
    const child = await world.start(root.agent);
    await first.reached;
    await world.runtime.sendMessage(root.agent, child.childId, [{ type: 'text', text: 'and this' }]);
    first.open();
    await second.reached;
    expect(await ends(world, root.id)).toBe(0);
    second.open();
    expect(textOf((await child.result).output)).toBe('the real end');
    expect(await ends(world, root.id)).toBe(2);
  });

  test('nor after one behind which a child of its own still works (B-1, B12)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script(
      'worker',
      [does(async (turn) => void (await world.start(turn.agent, { label: 'below' }))), says('waiting')],
      [says('all in')],
    );
    world.driver.script('below', [waitsAt(place)]);
    const root = await world.openRoot();
    const child = await world.start(root.agent);
    await place.reached;
    expect(await ends(world, root.id)).toBe(0);
    place.open();
    expect(textOf((await child.result).output)).toBe('all in');
  });

  test.each<readonly [SubagentStopReason, SubagentStopReason]>([
    ['error', 'completed'],
    ['completed', 'error'],
    ['max-tokens', 'refusal'],
  ])(
    'a turn that ends as %s before one that ends as %s says nothing about the end of the child (B-1, P04)',
    async (first, last) => {
      const world = openWorld();
      const place = gate();
      world.driver.script('worker', [says('first'), waitsAt(place), turnEnds(first)], [says('last'), turnEnds(last)]);
      const root = await world.openRoot();
      const child = await world.start(root.agent);
      await place.reached;
      await world.runtime.sendMessage(root.agent, child.childId, [{ type: 'text', text: 'and this' }]);
      place.open();
      expect(await child.result).toMatchObject({ output: [{ text: 'last' }], stopReason: last });
      expect(await ends(world, root.id)).toBe(2);
      expect(world.events.lives()).toEqual(['start worker', `end worker ${last}`]);
    },
  );
});

test('the call that nobody answers is no answer: asks alone never complete a turn (B-1)', async () => {
  const life = await childWith([asks(call('c1', 'look')), asks(call('c2', 'look')), speaks('done')], 2);
  expect(life.result).toMatchObject({ output: [], stopReason: 'error', diagnostic: expect.stringContaining('limit of 2 steps') });
});
