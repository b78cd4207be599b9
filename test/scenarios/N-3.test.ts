/** N-3: a failure keeps what was found: the limit by name, bounded evidence, and a child that can be continued. */
import { expect, test } from 'vitest';
import { aiSdkDriver } from '../../src/agents/drivers/ai-sdk.ts';
import type { AgentTool } from '../../src/agents/tool.ts';
import { textOf } from '../../src/sessions/content.ts';
import { call, finish, type ModelPart, scriptedModel, says as speaks, text } from '../support/scripted-model.ts';
import { openWorld } from '../support/world.ts';

const look: AgentTool = { name: 'look', description: 'looks', inputSchema: { type: 'object' }, execute: () => 'seen' };
const finding = (nth: number, bytes: number): ModelPart[] => [
  { type: 'stream-start', warnings: [] },
  ...text(`finding ${nth}: ${'f'.repeat(bytes)}`),
  call(`c${nth}`, 'look'),
  finish('tool-calls'),
];

/** A child that is stopped by its limit of ten steps, after ten findings of this size. */
async function stoppedChild(bytes: number) {
  const world = openWorld();
  const model = scriptedModel(
    ...Array.from({ length: 10 }, (_, nth) => finding(nth + 1, bytes)),
    speaks('and here is the report'),
  );
  const composition = { driver: aiSdkDriver({ model, stepsMax: 10, maxRetries: 0 }), tools: [look] };
  const notices: string[] = [];
  const root = await world.attachRoot({ composition, deliver: ({ content }) => void notices.push(textOf(content)) });
  const child = await world.start(root.agent);
  const result = await child.result;
  await world.rest();
  return { world, model, root, child, result, notices };
}

test('the outcome names the limit and carries what was found last, not a placeholder (N-3, P04, P30)', async () => {
  const { result, notices } = await stoppedChild(20);
  expect(result.stopReason).toBe('error');
  expect(result.diagnostic).toContain('the limit of 10 steps');
  expect(textOf(result.output)).toBe(`finding 10: ${'f'.repeat(20)}`);
  expect(notices).toEqual([`Diagnostic: ${result.diagnostic}\nPartial text:\n${textOf(result.output)}`]);
});

test('evidence that is too large is bounded, and says how large it is and where the rest is (N-3, P30)', async () => {
  const { child, result, notices } = await stoppedChild(100_000);
  expect(Buffer.byteLength(textOf(result.output))).toBe(32 * 1024);
  expect(result.truncated).toEqual({ totalBytes: 100_012 });
  expect(notices[0]).toContain(`It has 100012 bytes; read all of it by the id ${child.childId}.`);
  expect(Buffer.byteLength(notices[0] ?? '')).toBeLessThan(34 * 1024);
});

test('every finding stays readable by the id of the child (N-3, P03)', async () => {
  const { world, child } = await stoppedChild(20);
  const { transcript } = await world.runtime.readSession(child.childId);
  const said = transcript.flatMap(({ role, content }) => (role === 'assistant' ? [textOf(content)] : []));
  expect(said).toEqual(Array.from({ length: 10 }, (_, nth) => `finding ${nth + 1}: ${'f'.repeat(20)}`));
});

test('a message lets it go on from all that it had found (N-3, P12)', async () => {
  const { world, model, root, child, notices } = await stoppedChild(20);
  await world.runtime.sendMessage(root.agent, child.childId, [{ type: 'text', text: 'sum it up' }]);
  await world.gone(child.childId);
  await world.rest();
  expect(model.faults).toEqual([]);
  const prompt = JSON.stringify(model.prompts.at(-1));
  for (let nth = 1; nth <= 10; nth++) expect(prompt).toContain(`finding ${nth}: `);
  expect(prompt).toContain('sum it up');
  expect(notices.slice(1)).toEqual(['Final text:\nand here is the report']);
});
