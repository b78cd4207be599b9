/** That the parent of a child that had ended when its process died hears of it once, whatever was written (P01, P15, S3.9, S8.1). */
import { describe, expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { delegateTool } from '../../src/tools/delegate.ts';
import { claimed, inserted } from '../sessions/samples.ts';
import { callsTogether, says } from '../support/scripted-steps.ts';
import type { FaultMatch } from '../support/store-faults.ts';
import { openWorld } from '../support/world.ts';
import { afterCrash, crashAt, reopened, rootId, textOfNotices } from './after-crash.ts';

const c1 = toSessionId('child-1');

describe('an end', () => {
  const places: readonly (readonly [where: string, at: FaultMatch, isDone: boolean])[] = [
    ['before the end of the turn is written', { session: c1, event: 'turn/ended' }, true],
    ['before the end of the activation is written', { session: c1, event: 'activation/ended' }, false],
    ['behind it', { session: c1, event: 'activation/ended' }, true],
    ['before the parent has accepted the notice', { session: rootId, event: 'inbox/inserted', nth: 1 }, false],
    ['before the child has marked that the parent has', { session: rootId, event: 'inbox/inserted', nth: 1 }, true],
    ['before the mark is written', { session: c1, event: 'notice/delivered' }, false],
  ];

  test.each(places)('is told once, with its words, when the process dies %s (P01, P15, S3.9)', async (_, at, isDone) => {
    const before = openWorld();
    before.driver.script('worker', [says('all is well')]);
    const first = await before.openRoot({ id: rootId });
    crashAt(before, { method: 'append', ...at }, isDone);
    await before.start(first.agent, { childId: c1 });
    await before.store.reached({ method: 'append', ...at });
    await before.rest();
    const world = afterCrash(before);
    const root = await reopened(world);
    const { resumed, told, waiting } = await world.runtime.recover();
    expect({ resumed, told, waiting }).toEqual({ resumed: [], told: [c1], waiting: [] });
    await root.whenQuiet();
    const notices = await textOfNotices(world, rootId);
    expect(notices).toEqual([expect.stringContaining('all is well')]);
    expect((await world.logOf(c1, 'activation/ended')).map(({ data }) => data.stopReason)).toEqual(['completed']);
    expect(world.driver.turnsOf('worker')).toEqual([]);
    expect(await world.runtime.recover()).toEqual({ resumed: [], told: [], removed: [], waiting: [] });
  });

  test('that the tool call of the parent has answered is not told again; one that it has not is (S8.1, P15)', async () => {
    const before = openWorld();
    const delegate = delegateTool({ runtime: before.runtime, provider: 'spawn' });
    const call = (description: string) => ['delegate', { description, prompt: 'go', run_in_background: false }] as const;
    before.driver.script('root', [callsTogether(call('answered')), callsTogether(call('unanswered')), says('never said')]);
    before.driver.script('answered', [says('the first answer')]);
    before.driver.script('unanswered', [says('the second answer')]);
    const first = await before.openRoot({ id: rootId, composition: { ...before.composition, tools: [delegate] } });
    crashAt(before, { method: 'append', session: rootId, event: 'tool/results', nth: 2 }, false);
    await first.prompt('go');
    await before.store.reached({ method: 'append', session: rootId, event: 'tool/results', nth: 2 });
    const world = afterCrash(before);
    const root = await reopened(world);
    await world.runtime.recover();
    await root.whenQuiet();
    expect(await textOfNotices(world, rootId)).toEqual([expect.stringContaining('the second answer')]);
  });

  test('is told once when recovery runs twice at once (P15)', async () => {
    const before = openWorld();
    const first = await before.openRoot({ id: rootId });
    crashAt(before, { method: 'append', session: rootId, event: 'inbox/inserted' }, false);
    await before.start(first.agent, { childId: c1 });
    await before.store.reached({ method: 'append', session: rootId, event: 'inbox/inserted' });
    const world = afterCrash(before);
    await reopened(world);
    const reports = await Promise.all([world.runtime.recover(), world.runtime.recover(), world.runtime.recover()]);
    expect(reports.flatMap(({ told }) => told)).toEqual([c1]);
    expect(await textOfNotices(world, rootId)).toHaveLength(1);
  });

  test('has the words of its own activation, also when a later one has said more by then (P03, S3.9)', async () => {
    const before = openWorld();
    const delegate = delegateTool({ runtime: before.runtime, provider: 'spawn' });
    before.driver.script('root', [
      callsTogether(['delegate', { description: 'worker', prompt: 'go', run_in_background: false }]),
      says('never said'),
    ]);
    before.driver.script('worker', [says('the first words')]);
    const first = await before.openRoot({ id: rootId, composition: { ...before.composition, tools: [delegate] } });
    const ended = { method: 'append', session: rootId, event: 'tool/results' } as const;
    crashAt(before, ended, false);
    await first.prompt('go');
    await before.store.reached(ended);
    const world = afterCrash(before);
    const child = (await world.store.inner.children(rootId))[0]?.data.id ?? '';
    // another host has resumed it meanwhile, and died in its turn
    const { seq, epoch } = await world.store.inner.claim(toSessionId(child), 'another host');
    const turnId = 'turn-1';
    const time = world.clock.now();
    await world.store.inner.append(toSessionId(child), { seq, epoch }, [
      ...[
        { ...inserted('m-later'), time },
        { ...claimed(['m-later']), time },
      ],
      { type: 'turn/started', time, data: { turnId, epoch } },
      { type: 'assistant/message', time, data: { turnId, content: [{ type: 'text', text: 'later words' }] } },
      { type: 'turn/ended', time, data: { turnId, stopReason: 'completed' } },
    ]);
    await world.store.inner.handBack(toSessionId(child), epoch);
    const root = await reopened(world);
    await world.runtime.recover();
    await root.whenQuiet();
    const notices = await textOfNotices(world, rootId);
    expect(notices).toEqual([expect.stringContaining('the first words'), expect.stringContaining('later words')]);
  });

  test('that a message overtook is none: the activation is told of as it went on (P15, P27, S2.7)', async () => {
    const before = openWorld();
    const delegate = delegateTool({ runtime: before.runtime, provider: 'spawn' });
    before.driver.script('root', [
      callsTogether(['delegate', { description: 'worker', prompt: 'go', run_in_background: false }]),
      says('never said'),
    ]);
    before.driver.script('worker', [says('the first words')], [says('the last words')]);
    const first = await before.openRoot({ id: rootId, composition: { ...before.composition, tools: [delegate] } });
    const seal = { method: 'append', event: 'activation/ended' } as const;
    before.store.inject({ at: seal, fault: 'hang' });
    await first.prompt('go');
    await before.store.reached(seal);
    const child = (await before.store.inner.children(rootId))[0]?.data.id ?? '';
    const sending = before.runtime.sendMessage(first.agent, child, [{ type: 'text', text: 'and now?' }]);
    crashAt(before, { ...seal, session: child }, false);
    before.store.release();
    await sending;
    await before.store.reached({ ...seal, session: child, nth: 2 });
    const world = afterCrash(before);
    const root = await reopened(world);
    await world.runtime.recover();
    await root.whenQuiet();
    expect(await textOfNotices(world, rootId)).toEqual([expect.stringContaining('the last words')]);
    expect((await world.logOf(child, 'activation/ended')).map(({ data }) => data.stopReason)).toEqual(['completed', 'completed']);
  });

  test('that another host tells while this one is about to is marked as told once (P15, S10.2)', async () => {
    const before = openWorld();
    const first = await before.openRoot({ id: rootId });
    const mark = { method: 'append', session: c1, event: 'notice/delivered' } as const;
    crashAt(before, mark, false);
    await before.start(first.agent, { childId: c1 });
    await before.store.reached(mark);
    const world = afterCrash(before);
    await reopened(world);
    world.store.inject({ at: { method: 'claim', session: c1 }, fault: 'hang' });
    const recovering = world.runtime.recover();
    await world.store.reached({ method: 'claim', session: c1 });
    const lease = await world.store.inner.claim(c1, 'another host');
    const time = world.clock.now();
    await world.store.inner.append(c1, lease, [{ type: 'notice/delivered', time, data: { notice: `${c1}:1` as never } }]);
    await world.store.inner.handBack(c1, lease.epoch);
    world.store.release();
    expect(await recovering).toEqual({ resumed: [], told: [], removed: [], waiting: [] });
    expect(await world.logOf(c1, 'notice/delivered')).toHaveLength(1);
  });
});
