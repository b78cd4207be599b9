/**
 * R10, R17, S5.2: what drivers and hosts answer with. Whatever it is, it is an end that can be shown or a refusal with a code; nothing
 * escapes, and whoever asked works on.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TurnEnd } from '../../src/agents/driver.ts';
import type { SessionId } from '../../src/sessions/ids.ts';
import { does, says, throws, waitsAt } from '../support/scripted-steps.ts';
import { endsOf, open, thrown, unsafe } from './answering.ts';
import { anything, awkwardTexts, objectOf, pollution } from './hostile.ts';
import { cases, holds, patience } from './settings.ts';
import { outcomeOf } from './untouched.ts';

const few = cases(120, 3_000);

describe('a driver', () => {
  const end = objectOf({
    stopReason: ['completed', 'error', 'refusal', 'no-such-reason', 'x'.repeat(65), 'Completed', ...awkwardTexts],
    diagnostic: ['it broke', '\u001b]0;title\u0007', '\u202e', 'ö'.repeat(5_000), ...awkwardTexts],
  });

  test('ends a turn with anything: one end in the log, of a reason and a diagnostic that can be shown (R10, S5.2, S5.4)', {
    ...patience(60_000),
  }, async () => {
    const world = open();
    world.tolerateFaults('driver');
    const root = await world.openRoot();
    const property = fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: end }, anything), async (sample) => {
      world.driver.script('worker', [does(async () => boxed(sample.make()) as TurnEnd)]);
      const child = await world.start(root.agent);
      const { stopReason, diagnostic = '' } = await child.result;
      expect(stopReason).toMatch(/^[a-z][a-z0-9_-]{0,63}$/);
      expect(Buffer.byteLength(diagnostic)).toBeLessThanOrEqual(4_096);
      expect(diagnostic).not.toMatch(unsafe);
      const [ended, more] = await world.logOf(child.childId, 'turn/ended');
      expect([ended?.data.stopReason, more]).toEqual([stopReason, undefined]);
      await world.rest();
      expect((await endsOf(world, root.id, child.childId)).notices).toHaveLength(1);
    });
    await holds(property, few, 'badAnswers');
    expect(pollution()).toEqual([]);
  });

  test('throws or rejects with anything: an end as error, without the words of what was thrown (R17, S5.4)', async () => {
    const world = open();
    world.expectFaults('driver');
    const root = await world.openRoot();
    for (const make of thrown) {
      world.driver.script('worker', [throws(make())], [says('better')]);
      const child = await world.start(root.agent, { childId: `c${world.driver.turns.length}` as SessionId });
      expect(await child.result).toEqual({ output: [], stopReason: 'error', diagnostic: 'the agent driver failed' });
      await world.runtime.sendMessage(root.agent, child.childId, [{ type: 'text', text: 'again' }]);
      await world.gone(child.childId);
      expect(await world.runtime.readResult(child.childId)).toMatchObject({ output: [{ text: 'better' }] });
    }
  });

  test('answers anything about its options and its images: a start or a message is taken, or refused by a code (S3.7, S1.14)', async () => {
    for (const make of thrown) {
      const world = open();
      const root = await world.openRoot();
      world.driver.script('worker', [waitsAt()]);
      const { childId } = await world.start(root.agent);
      const image = [{ type: 'image', mediaType: 'image/png', data: 'aa' }] as const;
      for (const answer of [make, () => Promise.reject(make()), throwing(make)]) {
        Object.assign(world.driver, { acceptsImages: answer });
        const attempts = [
          () => world.runtime.sendMessage(root.agent, childId, image),
          () => world.start(root.agent, { prompt: image }),
          () => root.prompt(image),
          () => world.runtime.prompt({ parentId: root.id, childId, requestId: 'r', delivery: 'steer', content: image }),
        ];
        for (const attempt of attempts) expect(await outcomeOf(attempt)).toMatch(/^(UNSUPPORTED_CAPABILITY|PROVIDER_FAILED)$/);
        world.driver.onValidate = answer as never;
        expect(await outcomeOf(() => world.start(root.agent))).toMatch(/^(done|UNSUPPORTED_CAPABILITY)$/);
        world.driver.onValidate = () => undefined;
      }
    }
  });
});

/** A script takes an end that is undefined for none, and the way from the script to the runtime is a promise: neither is what is tested. */
function boxed(value: unknown): unknown {
  return value === undefined ? null : value;
}

function throwing(make: () => unknown): () => never {
  return () => {
    throw make();
  };
}

describe('a host', () => {
  test(
    'answers a delivery with anything: taken, or refused by a code, and nothing escapes (R17, S3.9)',
    patience(30_000),
    async () => {
      const world = open();
      world.tolerateFaults('notice');
      let deliver: () => unknown = () => undefined;
      const root = await world.attachRoot({ deliver: () => deliver() as never });
      world.driver.script('worker', [waitsAt()]);
      const child = await world.start(root.agent);
      await world.rest();
      const { agent } = world.resident(child.childId);
      const strange = [...thrown, () => Object.defineProperty({}, 'then', { get: throwing(() => new Error('no')) })];
      for (const make of strange) {
        for (const answer of [make, throwing(make), () => Promise.reject(make())]) {
          deliver = answer;
          const outcome = await outcomeOf(() => world.runtime.sendMessage(agent, root.id, [{ type: 'text', text: 'up' }]));
          expect(outcome).toMatch(/^(done|PARENT_UNAVAILABLE)$/);
          const other = await world.start(root.agent, { label: 'other' });
          expect(await other.result).toMatchObject({ stopReason: 'completed' });
        }
      }
      expect(world.live).toBe(1);
    },
  );

  test('says in which directory it works, or does not: a start is taken or refused by a code (S1.10)', async () => {
    const world = open();
    let cwd: () => unknown = () => '/project';
    const root = await world.openRoot({ cwd: () => cwd() as string });
    for (const make of thrown) {
      for (const answer of [make, throwing(make), () => Promise.reject(make())]) {
        cwd = answer;
        expect(await outcomeOf(() => world.start(root.agent))).toMatch(/^(PROVIDER_FAILED|INVALID_ARGUMENT)$/);
        expect(await outcomeOf(() => world.openRoot({ cwd: answer as never }))).toMatch(/^(PROVIDER_FAILED|INVALID_ARGUMENT)$/);
      }
    }
    cwd = () => 'relative';
    expect(await outcomeOf(() => world.start(root.agent))).toBe('PROVIDER_FAILED');
    cwd = () => '/project';
    expect(await outcomeOf(async () => (await world.start(root.agent)).result)).toBe('done');
  });
});
