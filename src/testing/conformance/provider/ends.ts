/** Children that end by themselves. */
import { textOf } from '../../../sessions/content.ts';
import { holds, same } from '../expect.ts';
import { disposed, judgeResult, neededPrompt, type ProviderCase } from './bench.ts';
import { leftOf, nothingLeft } from './left.ts';

export const endCases: readonly ProviderCase[] = [
  {
    name: 'a child that completes says so, with its words, and is released before its result settles (S1.4, S5.1, S2.6)',
    async run(world) {
      const { prompts, time, store, root, events } = world;
      const child = await world.started(prompts.completes, { delivery: 'parent' });
      const result = await time.settled(child.result, 'a child that completes ends');
      const left = await leftOf(world);
      const notices = (await store.read(root.id)).filter(({ type, data }) => type === 'inbox/inserted' && 'messageId' in data);
      same(left, undefined, 'a result settles after teardown: nothing is left of the child (S1.4)');
      same(notices.length, 1, 'a result settles when the parent has been told, once (S1.4, S3.9)');
      same(result.stopReason, 'completed', 'a natural end is completed (P04)');
      holds(textOf(result.output) !== '', 'the output is what the child said last (S5.1)');
      judgeResult(result, world);
      const ends = events.filter((event) => event.type === 'subagent/end');
      same(
        ends.map(({ id, stopReason }) => [id, stopReason]),
        [[child.childId, 'completed']],
        'event and result agree (P27)',
      );
    },
  },
  {
    name: 'a child that fails resolves with a stop reason that is not completed, within the bounds of a diagnostic (S1.4, S5.4, P04)',
    needs: 'fails',
    async run(world) {
      const { time } = world;
      const child = await world.started(neededPrompt(world, 'fails'));
      const result = await time.settled(child.result, 'a child that fails ends');
      holds(result.stopReason !== 'completed', 'a failure is never completed (P04)');
      judgeResult(result, world);
      await nothingLeft(world, 'nothing is left of a child that failed');
    },
  },
  {
    name: 'nothing more is heard of a child after its end (P05, P31)',
    async run(world) {
      const { prompts, time, events, subject, parent, runtime } = world;
      const child = await world.started(prompts.completes);
      const result = await time.settled(child.result, 'a child that completes ends');
      const heard = events.length;
      const effects = await subject.countEffects?.();
      runtime.interrupt(child.childId, { kind: 'ancestor', agent: parent });
      await disposed(world, child, 'a child that has ended is disposed');
      await time.pass();
      same(events.length, heard, 'no event comes after the end of a child (P05)');
      same(await subject.countEffects?.(), effects, 'a child does nothing after its end (P05)');
      same(await child.result, result, 'a result never changes (P05)');
    },
  },
];
