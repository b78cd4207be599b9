/** N-1: a child that returns megabytes. Its parent gets a bounded envelope that says so; the whole is read by id. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aiSdkDriver } from '../../src/agents/drivers/ai-sdk.ts';
import type { AgentTool } from '../../src/agents/tool.ts';
import { textOf } from '../../src/sessions/content.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { tempFolder } from '../sessions/temp-folder.ts';
import { asks, call, scriptedModel, says as speaks } from '../support/scripted-model.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { does, type Step, says, submits } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const resultBytes = 32 * 1024;
const megabyte = 1024 * 1024;

interface Opened {
  readonly world: World;
  readonly store: SessionStore;
}

function open(path: string): Opened {
  let store: SessionStore | undefined;
  const world = openWorld({
    store: (clock) => {
      store = sqliteStore({ path, clock });
      return store;
    },
  });
  return { world, store: store as SessionStore };
}

/** A child with this turn, and how much of it reached its parent's log. */
async function childThat(steps: readonly Step[], setup = {}) {
  const path = join(tempFolder('quick'), 'sessions.db');
  const { world, store } = open(path);
  world.driver.script('worker', steps);
  const root = await world.openRoot();
  const child = await world.start(root.agent, setup);
  const result = await child.result;
  await root.whenQuiet();
  const [notice] = (await world.logOf(root.id, 'inbox/inserted')).filter(({ data }) => data.source.kind === 'subagent-settled');
  const parentLog = JSON.stringify(await world.log(root.id));
  const restart = async () => {
    await world.close();
    await store.close();
    return open(path);
  };
  return { world, child, result, notice: textOf(notice?.data.content ?? []), parentLog, restart };
}

/** Text in which every part differs, so that a part taken twice or left out is seen. */
function longText(bytes: number, unit: string): string {
  const lines: string[] = [];
  for (let size = 0, line = 0; size < bytes; line++) {
    lines.push(`${line} ${unit.repeat(50)}`);
    size += Buffer.byteLength(lines.at(-1) ?? '') + 1;
  }
  return lines.join('\n');
}

test.each([
  ['5 MB of plain text', 5 * megabyte, 'x'],
  ['900 KB of text', 900 * 1024, 'y'],
  ['5 MB of text of several bytes a character', 5 * megabyte, '\u{1f600}\u20ac'],
])(
  '%s: a bounded envelope with the true size, and the whole by id, also after a restart (N-1, P30, P03)',
  async (_, bytes, unit) => {
    const whole = longText(bytes, unit);
    const total = Buffer.byteLength(whole);
    const { world, child, result, notice, parentLog, restart } = await childThat([says('on my way'), says(whole)]);
    expect(result.truncated).toEqual({ totalBytes: total });
    const kept = textOf(result.output);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(resultBytes);
    expect(Buffer.byteLength(kept)).toBeGreaterThan(resultBytes - 4);
    expect(whole.startsWith(kept)).toBe(true);
    expect(notice).toBe(
      `Final text:\n${kept}\n[The text was cut. It has ${total} bytes; read all of it by the id ${child.childId}.]`,
    );
    expect(parentLog.length).toBeLessThan(3 * resultBytes);
    expect(world.events.of('subagent/end')[0]?.lastAssistantMessage).toEqual(result.output);
    expect(await world.runtime.readResult(child.childId)).toEqual({ output: [{ type: 'text', text: whole }] });
    const { world: next, store } = await restart();
    expect(await next.runtime.readResult(child.childId)).toEqual({ output: [{ type: 'text', text: whole }] });
    await next.close();
    await store.close();
  },
);

test.each([
  [resultBytes - 1, false],
  [resultBytes, false],
  [resultBytes + 1, true],
])('a text of %i bytes is cut: %s (N-1, P30)', async (bytes, isCut) => {
  const { result } = await childThat([says('x'.repeat(bytes))]);
  expect(result.truncated).toEqual(isCut ? { totalBytes: bytes } : undefined);
  expect(textOf(result.output)).toHaveLength(Math.min(bytes, resultBytes));
});

test('the bound holds for all blocks of an answer together (N-1, P30)', async () => {
  const content = Array.from({ length: 100 }, (_, nth) => ({ type: 'text', text: `${nth}:${'z'.repeat(1_000)}` }) as const);
  const total = content.reduce((sum, { text }) => sum + text.length, 0);
  const { child, result, world } = await childThat([
    does(async (turn) => void (await turn.record({ role: 'assistant', content }))),
  ]);
  expect(Buffer.byteLength(textOf(result.output))).toBe(resultBytes);
  expect(result.truncated).toEqual({ totalBytes: total });
  expect((await world.runtime.readResult(child.childId)).output).toEqual(content);
});

test('a structured value of 5 MB stays whole for the host and by id; the parent is told its size (N-1, P26, P30)', async () => {
  const value = { rows: longText(5 * megabyte, 'v') };
  const { child, result, notice, parentLog, restart } = await childThat([submits(value)], { outputSchema: { type: 'object' } });
  expect(result).toEqual({ output: [], structured: value, stopReason: 'completed' });
  const bytes = Buffer.byteLength(JSON.stringify(value));
  expect(notice).toBe(`The structured result has ${bytes} bytes; read it by the id ${child.childId}.\n`);
  expect(parentLog.length).toBeLessThan(resultBytes);
  const { world: next, store } = await restart();
  expect(await next.runtime.readResult(child.childId)).toEqual({ output: [], structured: value });
  await next.close();
  await store.close();
});

test('what an external child returns is bounded in the same way, images included (N-1, P30)', async () => {
  const world = openWorld();
  const remote = scriptedProvider();
  world.runtime.registerProvider(remote);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { provider: 'remote' });
  const image = { type: 'image', mediaType: 'image/png', data: 'A'.repeat(5 * megabyte) } as const;
  remote.runs[0]?.settle({ output: [{ type: 'text', text: 'see' }, image, { type: 'text', text: 'below' }] });
  const result = await child.result;
  expect(result).toMatchObject({ output: [{ text: 'see' }], truncated: { totalBytes: 5 * megabyte + 8 } });
  await root.whenQuiet();
  expect(JSON.stringify(await world.log(root.id)).length).toBeLessThan(resultBytes);
});

test('7 MB that a tool gives to the child are bounded in the child’s own log and prompt (N-1, P30)', async () => {
  const world = openWorld();
  const read: AgentTool = {
    ...{ name: 'read', description: 'reads', inputSchema: { type: 'object' } },
    execute: () => 'r'.repeat(7 * megabyte),
  };
  const model = scriptedModel(asks(call('c', 'read')), speaks('I read it'));
  const root = await world.attachRoot({ composition: { driver: aiSdkDriver({ model, maxRetries: 0 }), tools: [read] } });
  const child = await world.start(root.agent);
  expect(textOf((await child.result).output)).toBe('I read it');
  const [results] = await world.logOf(child.childId, 'tool/results');
  const logged = JSON.stringify(results?.data.content);
  expect(logged.length).toBeLessThan(300 * 1024);
  expect(logged).toContain(String(7 * megabyte));
  expect(JSON.stringify(model.prompts[1]).length).toBeLessThan(300 * 1024);
});
