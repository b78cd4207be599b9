/** P30, S5.4: what leaves a child is bounded: at n−1 and n it is whole, at n+1 it is cut and says so. */
import { afterEach, describe, expect, test } from 'vitest';
import { textOf } from '../../src/sessions/content.ts';
import { noteFigure } from '../support/figures.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { ends, says, streams, submits } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const text = (words: string) => [{ type: 'text', text: words }] as const;
/** So many bytes of UTF-8, with characters of two bytes where they fit. */
const bytes = (count: number) => 'é'.repeat(Math.floor(count / 2)) + 'x'.repeat(count % 2);

afterEach(() => noteFigure('limitTests', 1));

describe('bytes of a result (resultBytes)', () => {
  const setup = { limits: { resultBytes: 10 } };

  test.each([9, 10])('%i of 10 travel whole, to caller and parent (P30)', async (count) => {
    const world = openWorld(setup);
    world.driver.script('worker', [says(bytes(count))]);
    const root = await world.openRoot();
    const child = await world.start(root.agent);
    const result = await child.result;
    expect(textOf(result.output)).toBe(bytes(count));
    expect('truncated' in result).toBe(false);
    expect(await world.inserted(root.id)).toEqual([`Final text:\n${bytes(count)}`]);
  });

  test('11 of 10 are cut between characters and flagged with the true size, and the whole stays readable by id (P30, P03)', async () => {
    const world = openWorld(setup);
    const whole = `x${bytes(10)}`; // the tenth byte is the first half of a character
    world.driver.script('worker', [says(whole)]);
    const root = await world.openRoot();
    const child = await world.start(root.agent);
    expect(await child.result).toEqual({ output: text('xéééé'), stopReason: 'completed', truncated: { totalBytes: 11 } });
    const [notice] = await world.inserted(root.id);
    expect(notice).toContain('It has 11 bytes');
    expect(notice).toContain(child.childId);
    expect(textOf((await world.runtime.readResult(child.childId)).output)).toBe(whole);
    expect(world.events.of('subagent/end')[0]?.lastAssistantMessage).toEqual(text('xéééé'));
  });

  test('it bounds external children, partial text and streamed text alike (P30)', async () => {
    const world = openWorld(setup);
    const remote = scriptedProvider();
    remote.plan({ result: { output: text(bytes(11)), stopReason: 'completed' } });
    world.runtime.registerProvider(remote);
    world.driver.script('partial', [says(bytes(11)), ends('max-tokens')]);
    world.driver.script('streamed', [streams(bytes(6), bytes(5)), ends('error')]);
    const root = await world.openRoot();
    for (const setup of [{ provider: 'remote' }, { label: 'partial' }, { label: 'streamed' }]) {
      const result = await (await world.start(root.agent, { ...setup, delivery: 'caller' })).result;
      expect(result).toMatchObject({ output: [{ text: bytes(10) }], truncated: { totalBytes: 11 } });
    }
  });

  test('a structured value beyond it is named in the notice instead of shown (P30, P26)', async () => {
    const world = openWorld(setup);
    const outputSchema = { type: 'object', properties: { a: { type: 'string' } } } as const;
    world.driver.script('fits', [submits({ a: 'xx' })]);
    world.driver.script('does not', [submits({ a: 'xxx' })]);
    const root = await world.openRoot();
    for (const label of ['fits', 'does not']) {
      const result = await (await world.start(root.agent, { label, outputSchema })).result;
      expect(result.structured).toEqual({ a: label === 'fits' ? 'xx' : 'xxx' });
    }
    const notices = await world.inserted(root.id);
    expect(notices[0]).toContain('{"a":"xx"}');
    expect(notices[1]).toContain('has 11 bytes');
    expect(notices[1]).not.toContain('xxx');
  });

  test('a diagnostic has at most 4,096 bytes, cut between characters (S5.4)', async () => {
    const world = openWorld();
    for (const count of [4_095, 4_096, 4_097]) world.driver.script(`of ${count}`, [ends('error', bytes(count))]);
    const root = await world.openRoot();
    const lengths = [];
    for (const count of [4_095, 4_096, 4_097]) {
      const child = await world.start(root.agent, { label: `of ${count}` });
      lengths.push(Buffer.byteLength((await child.result).diagnostic ?? ''));
      const [end] = await world.logOf(child.childId, 'activation/ended');
      expect(Buffer.byteLength(end?.data.diagnostic ?? '')).toBeLessThanOrEqual(4_096);
    }
    expect(lengths).toEqual([4_095, 4_096, 4_096]);
  });
});
