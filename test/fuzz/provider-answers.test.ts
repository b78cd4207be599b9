/**
 * R10, S5, S3.9: what providers answer with. Whatever it is, it is told with a code or as an end; the parent hears of each end once,
 * nothing stays taken, and whoever asked works on.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SubagentRun } from '../../src/providers/contract.ts';
import { textOf } from '../../src/sessions/content.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import type { World } from '../support/world.ts';
import { endsOf, open, thrown, unsafe } from './answering.ts';
import { anything, awkwardTexts, json, noJson, objectOf, pollution, Sample } from './hostile.ts';
import { cases, holds, patience } from './settings.ts';
import { outcomeOf } from './untouched.ts';

const few = cases(120, 3_000);

describe('an external provider', () => {
  /** Starts a child at a provider that answers `start` as it is told. */
  async function provider(world: World) {
    let answer: () => unknown = () => undefined;
    const made = { ...scriptedProvider(), start: async () => answer() as SubagentRun };
    world.runtime.registerProvider(made);
    const root = await world.openRoot();
    const start = (next: () => unknown) => {
      answer = next;
      return world.start(root.agent, { provider: 'remote', outputSchema: { type: 'object' } });
    };
    return { root, start };
  }

  test(
    'starts something: it is a run, or the start is refused and what can be disposed is (R10, S1.6)',
    patience(30_000),
    async () => {
      const world = open();
      const { root, start } = await provider(world);
      let disposals = 0;
      const dispose = () => void disposals++;
      const settled = () => Promise.resolve({ output: [], stopReason: 'completed' });
      const run = objectOf({
        id: ['run-1', 'run-2'],
        result: [new Sample('settled', settled)],
        dispose: [new Sample('dispose', () => dispose)],
      });
      const property = fc.asyncProperty(fc.oneof({ weight: 3, arbitrary: run }, anything), async (sample) => {
        const before = disposals;
        let given: Partial<SubagentRun> | undefined;
        const outcome = await outcomeOf(async () => {
          const child = await start(() => {
            given = sample.make() as Partial<SubagentRun>;
            return given;
          });
          await child.result;
        });
        expect(outcome).toMatch(/^(done|PROVIDER_FAILED|DUPLICATE_CHILD)$/);
        if (safely(() => given?.dispose as unknown) === dispose) expect(disposals).toBe(before + 1);
        expect(world.live).toBe(0);
        expect(pollution()).toEqual([]);
      });
      world.tolerateFaults('provider', 'dispose');
      await holds(property, few, 'badAnswers');
      expect(await outcomeOf(async () => (await start(() => ({ id: 'last', result: settled(), dispose }))).result)).toBe('done');
      expect((await world.runtime.listChildren(root.id)).at(-1)).toMatchObject({ id: 'last', mode: 'external' });
    },
  );

  test('fails to start in any way: the start is refused by one code (R10)', async () => {
    const world = open();
    const { start } = await provider(world);
    for (const make of thrown) {
      const fail = () => {
        throw make();
      };
      expect(await outcomeOf(() => start(fail))).toBe('PROVIDER_FAILED');
      expect(await outcomeOf(() => start(() => Promise.reject(make())))).toBe('PROVIDER_FAILED');
    }
    expect(world.live).toBe(0);
  });

  const block = objectOf({
    type: ['text', 'image'],
    text: ['x', '', 'y'.repeat(100_000)],
    mediaType: ['image/png'],
    data: ['aa'],
  });
  const blocks = fc.array(block, { maxLength: 4 }).map((list) => new Sample('blocks', () => list.map((one) => one.make())));
  const result = fc
    .tuple(
      objectOf({
        stopReason: ['completed', 'error', 'aborted', 'no-such-reason', 'Error\n', '__proto__'],
        diagnostic: ['it broke', '\u001b[31mred', 'x'.repeat(100_000), ...awkwardTexts],
        structured: [{}, { a: 1 }],
      }),
      fc.oneof(blocks, blocks, anything),
    )
    .map(([head, output]) => new Sample('a result', () => ({ ...(head.make() as object), output: output.make() })));

  test('ends a run with anything: the parent hears of one end, of bounded size, that agrees with the others (R10, S3.9, S5)', {
    ...patience(60_000),
  }, async () => {
    const world = open();
    const { root, start } = await provider(world);
    let count = 0;
    const property = fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: result }, anything), async (sample) => {
      const id = `run-${count++}`;
      const child = await start(() => ({ id, result: Promise.resolve().then(() => sample.make()), dispose: () => undefined }));
      const outcome = await outcomeOf(() => child.result);
      expect(outcome).toMatch(/^(done|PROVIDER_FAILED)$/);
      await world.rest();
      const { notices, ended } = await endsOf(world, root.id, id);
      expect([notices.length, ended.length]).toEqual([1, 1]);
      const stopReason = ended[0]?.stopReason ?? '';
      expect(stopReason).toMatch(/^[a-z][a-z0-9_-]{0,63}$/);
      expect(outcome === 'done' ? (await child.result).stopReason : 'error').toBe(stopReason);
      expect(notices[0]?.source).toMatchObject({ summary: `worker ended: ${stopReason}` });
      const { output = [], diagnostic = '' } = outcome === 'done' ? await child.result : {};
      expect(Buffer.byteLength(textOf(output))).toBeLessThanOrEqual(32 * 1024);
      expect(Buffer.byteLength(diagnostic)).toBeLessThanOrEqual(4_096);
      expect(diagnostic).not.toMatch(unsafe);
      expect(Buffer.byteLength(JSON.stringify(notices[0]))).toBeLessThan(400_000);
      expect(world.live).toBe(0);
    });
    await holds(property, few, 'badAnswers');
    expect(pollution()).toEqual([]);
  });

  test.each(Object.keys(noJson))('hands in a structured result that holds %s: it counts as none (S5.3)', async (name) => {
    const world = open();
    const { start } = await provider(world);
    const given = { output: [], stopReason: 'completed', structured: { a: [noJson[name]?.()] } };
    const child = await start(() => ({ id: 'run', result: Promise.resolve(given), dispose: () => undefined }));
    expect(await child.result).toEqual({ output: [], stopReason: 'error', diagnostic: 'structured result invalid' });
  });

  test('hands in a structured result that is JSON: it is given back as it was (S5.3)', patience(30_000), async () => {
    const world = open();
    const { start } = await provider(world);
    let count = 0;
    const property = fc.asyncProperty(json, async (value) => {
      const given = { output: [], stopReason: 'completed', structured: { a: value } };
      const child = await start(() => ({ id: `run-${count++}`, result: Promise.resolve(given), dispose: () => undefined }));
      expect(JSON.stringify((await child.result).structured)).toBe(JSON.stringify({ a: value }));
    });
    await holds(property, few / 2, 'badAnswers');
  });

  test('rejects a result, or its disposal, with anything: contained, and told once (R10, R17)', patience(30_000), async () => {
    const world = open();
    world.expectFaults('dispose');
    const { root, start } = await provider(world);
    for (const [index, make] of thrown.entries()) {
      const id = `run-${index}`;
      const dispose = () => {
        if (index % 2 === 0) throw make();
        return Promise.reject(make());
      };
      const child = await start(() => ({ id, result: Promise.resolve().then(() => Promise.reject(make())), dispose }));
      expect(await outcomeOf(() => child.result)).toBe('PROVIDER_FAILED');
      expect(await outcomeOf(() => child.dispose())).toBe('ACTIVATION_TEARDOWN_FAILED');
      expect((await endsOf(world, root.id, id)).notices).toHaveLength(1);
    }
    expect(world.live).toBe(0);
  });
});

function safely<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined; // it throws when it is read, so nobody can expect that it was disposed
  }
}
