/** S7.3, S1.6: what a provider of local children gives a session to start with. It can be read for ever, or nothing of the child exists. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scriptedLocalProvider } from '../support/scripted-provider.ts';
import { open, thrown } from './answering.ts';
import { anything, objectOf, Sample } from './hostile.ts';
import { cases, holds, patience } from './settings.ts';
import { outcomeOf } from './untouched.ts';

describe('a provider of local children', () => {
  const event = objectOf({
    seq: [0, 1, 2],
    time: [5],
    type: [
      'turn/ended',
      'turn/ended',
      'inbox/inserted',
      'assistant/message',
      'tool/results',
      'turn/ended',
      'inbox/claimed',
      'result/submitted',
      'made/up',
    ],
    data: [
      { turnId: 't', content: [{ type: 'text', text: 'x' }] },
      { messageId: 'm', lane: 'turn', wakes: true, source: { kind: 'user', form: 'prompt' }, content: [] },
      { messageIds: ['m'], waking: 1, turnId: 't' },
      { turnId: 't', stopReason: 'completed', value: {} },
    ],
  });
  const events = fc
    .array(event, { maxLength: 3 })
    .map((list) => new Sample(fc.stringify(list), () => list.map((one) => one.make())));

  /** One whole turn, of which one field is something else, or none is. */
  const spoiltTurn = fc
    .tuple(fc.nat(2), fc.constantFrom('seq', 'time', 'type', 'data', 'turnId', 'content', 'nothing'), anything)
    .map(([place, field, value]) => new Sample(`${field} of event ${place}`, () => turnWith(place, field, value.make())));

  function turnWith(place: number, field: string, value: unknown): unknown[] {
    const change = (at: number, ...names: string[]) => (at === place && names.includes(field) ? { [field]: value } : {});
    const turn = [
      ['turn/started', { epoch: 1 }],
      ['assistant/message', { content: [{ type: 'text', text: 'x' }] }],
      ['turn/ended', { stopReason: 'completed' }],
    ] as const;
    return turn.map(([type, data], seq) => ({
      ...{ seq, time: 5, type, data: { turnId: 't', ...data, ...change(seq, 'turnId', 'content') } },
      ...change(seq, 'seq', 'time', 'type', 'data'),
    }));
  }

  test('gives a seed: it is in the child’s log as it was given and can be read, or nothing of the child exists (S7.3, S7)', {
    ...patience(60_000),
  }, async () => {
    const world = open();
    world.expectTraceProblems('seed'); // the seeds are made up, so no other log begins with them
    world.driver.isBlind = false; // a history of each seed
    let seed: unknown;
    world.runtime.registerProvider(scriptedLocalProvider(() => ({ seed }) as never));
    const root = await world.openRoot();
    let taken = 0;
    const property = fc.asyncProperty(
      fc.oneof({ weight: 2, arbitrary: spoiltTurn }, { weight: 2, arbitrary: events }, anything),
      async (sample) => {
        seed = sample.make();
        const before = { writes: world.store.writes, children: await world.runtime.listChildren(root.id) };
        const outcome = await outcomeOf(async () => {
          const child = await world.start(root.agent, { provider: 'local', delivery: 'caller' });
          expect(await child.result).toMatchObject({ stopReason: 'completed' });
          const { header, events: log, transcript } = await world.runtime.readSession(child.childId);
          expect(JSON.stringify(log.slice(0, header.inheritedEvents))).toBe(JSON.stringify(seed ?? []));
          expect(transcript.at(-1)).toMatchObject({ role: 'assistant' });
          taken++;
        });
        expect(outcome).toMatch(/^(done|PROVIDER_FAILED)$/);
        if (outcome === 'done') return;
        expect({ writes: world.store.writes, children: await world.runtime.listChildren(root.id) }).toEqual(before);
      },
    );
    await holds(property, cases(240, 6_000), 'badAnswers');
    expect(taken).toBeGreaterThan(10);
    expect(world.live).toBe(0);
  });

  test('prepares anything, or fails in any way: a child of its own, or a refusal that leaves nothing (S1.6)', async () => {
    const world = open();
    let prepare: () => unknown = () => undefined;
    world.runtime.registerProvider(scriptedLocalProvider(() => prepare() as never));
    const root = await world.openRoot();
    for (const make of thrown) {
      prepare = make;
      expect(await outcomeOf(async () => (await world.start(root.agent, { provider: 'local' })).result)).toMatch(
        /^(done|PROVIDER_FAILED)$/,
      );
      prepare = () => Promise.reject(make());
      expect(await outcomeOf(() => world.start(root.agent, { provider: 'local' }))).toBe('PROVIDER_FAILED');
    }
    expect(world.live).toBe(0);
  });
});
