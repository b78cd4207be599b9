/** `dispose()`. */
import { answerOf, same } from '../expect.ts';
import { disposed, judgeResult, type ProviderCase } from './bench.ts';
import { leftOf, nothingLeft } from './left.ts';

export const disposalCases: readonly ProviderCase[] = [
  {
    name: 'dispose of a running child resolves when nothing is left of it, and its result is aborted (S1.5, S7.8)',
    async run(world) {
      const { prompts, time } = world;
      const child = await world.started(prompts.runs);
      await time.rest();
      const answer = await time.settled(answerOf(child.dispose()), 'dispose is bounded (P24)');
      same(answer, 'resolved', 'dispose of a running child succeeds (S1.5)');
      same(await leftOf(world), undefined, 'dispose resolves at quiescence: nothing is left of the child (S7.8)');
      const result = await time.settled(child.result, 'the result of a disposed child settles');
      same(result.stopReason, 'aborted', 'a child that was disposed was aborted (S5.2)');
      judgeResult(result, world);
    },
  },
  {
    name: 'dispose is idempotent: at the same time, again, and after the end it resolves and changes nothing (S1.5)',
    async run(world) {
      const { prompts, time, provider } = world;
      const child = await world.started(prompts.runs);
      const together = [child.dispose(), child.dispose()].map((call) => time.settled(answerOf(call), 'dispose is bounded (P24)'));
      same(await Promise.all(together), ['resolved', 'resolved'], 'two disposals at the same time both succeed (S1.5)');
      const result = await time.settled(child.result, 'the result of a disposed child settles');
      same(
        await time.settled(answerOf(child.dispose()), 'dispose is bounded (P24)'),
        'resolved',
        'a later disposal succeeds (S1.5)',
      );
      same(await child.result, result, 'a later disposal changes nothing (P05)');
      holdsOnce(provider.starts.at(-1)?.disposals);
    },
  },
  {
    name: 'dispose after a natural end resolves and leaves the result as it was (S1.5, P05)',
    async run(world) {
      const { prompts, time } = world;
      const child = await world.started(prompts.completes);
      const result = await time.settled(child.result, 'a child that completes ends');
      same(
        await time.settled(answerOf(child.dispose()), 'dispose is bounded (P24)'),
        'resolved',
        'disposal after the end succeeds (S1.5)',
      );
      same([await child.result, result.stopReason], [result, 'completed'], 'disposal after the end changes nothing (P05)');
    },
  },
  {
    name: 'dispose of one child leaves the others alone: one that runs goes on, one that is started completes (R12, P10)',
    async run(world) {
      const { prompts, time } = world;
      const [first, second] = await Promise.all([world.started(prompts.runs), world.started(prompts.runs)]);
      await disposed(world, first, 'the first child is disposed');
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      second.result.then(over, over);
      await time.pass();
      same(isOver, false, 'a disposal stops that child alone: the other goes on (P10)');
      const third = await world.started(prompts.completes);
      const { stopReason } = await time.settled(third.result, 'the third child ends');
      same(stopReason, 'completed', 'a child beside a disposed one completes (R12)');
      await disposed(world, second, 'the second child is disposed');
      await nothingLeft(world, 'nothing is left of three children');
    },
  },
  {
    name: 'a disposed child does nothing more (P05, P07)',
    async run(world) {
      const { prompts, time, events, subject } = world;
      const child = await world.started(prompts.runs);
      await time.rest();
      await disposed(world, child, 'a child is disposed');
      const heard = events.length;
      const effects = await subject.countEffects?.();
      await time.pass();
      same(events.length, heard, 'no event comes after a disposal (P05)');
      same(await subject.countEffects?.(), effects, 'no output comes after a disposal (P05, P31)');
    },
  },
];

/** A local child has no run. */
function holdsOnce(disposals: number | undefined): void {
  same(Math.min(disposals ?? 0, 2) < 2, true, 'the runtime disposes a run once');
}
