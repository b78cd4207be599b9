/** Ends that others bring about. */
import { answerOf, same } from '../expect.ts';
import { disposed, type ProviderCase } from './bench.ts';
import { nothingLeft } from './left.ts';
import type { ProviderWorld } from './world.ts';

export const stopCases: readonly ProviderCase[] = [
  {
    name: 'an interrupt ends the work of a child as aborted (S4.1, S4.2)',
    async run(world) {
      const { prompts, time, runtime, parent } = world;
      const child = await world.started(prompts.runs);
      await time.rest();
      runtime.interrupt(child.childId, { kind: 'ancestor', agent: parent });
      const { stopReason } = await time.settled(child.result, 'an interrupted child comes to its end');
      same(stopReason, 'aborted', 'an interrupted child was aborted (S5.2)');
      await nothingLeft(world, 'nothing is left of an interrupted child');
    },
  },
  {
    name: 'a drain of chosen children leaves their siblings, one of all descendants leaves none (S4.3, S4.4)',
    async run(world) {
      const { prompts, time, runtime, parent, registry } = world;
      const [first, second] = await Promise.all([world.started(prompts.runs), world.started(prompts.runs)]);
      await time.settled(runtime.drainChildren(parent, [first.childId]), 'a drain of one child is bounded (P24)');
      same(
        [await stopReasonOf(world, first), registry.capacity.live],
        ['aborted', 1],
        'a drained child has ended, its sibling has not (S4.4)',
      );
      await time.settled(runtime.drainDescendants([parent]), 'a drain of all is bounded (P24)');
      same(await stopReasonOf(world, second), 'aborted', 'a drain of all descendants ends them all (S4.3)');
      await nothingLeft(world, 'a drain waits until nothing is left (S4.4)');
    },
  },
  {
    name: 'closing the runtime ends the children that live, and waits until nothing is left of them (S4.6)',
    async run(world) {
      const { prompts, time, runtime } = world;
      const children = await Promise.all([world.started(prompts.runs), world.started(prompts.runs)]);
      await time.rest();
      const answer = await time.settled(answerOf(runtime.close()), 'closing is bounded (P24)');
      same(answer, 'resolved', 'the runtime closes, and every release has succeeded (S4.6)');
      for (const child of children)
        same(await stopReasonOf(world, child), 'aborted', 'a child that was closed was aborted (S4.6)');
      await nothingLeft(world, 'nothing is left when the runtime has closed (S4.6)');
    },
  },
  {
    name: 'removing the provider stops new starts and touches no child that lives (S7.1, P39)',
    async run(world) {
      const { prompts, time, unregister } = world;
      const child = await world.started(prompts.runs);
      unregister();
      const code = await answerOf(time.settled(world.start(prompts.completes), 'a start is answered'));
      same(code, 'UNKNOWN_PROVIDER', 'a removed provider starts nothing (S7.1)');
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      child.result.then(over, over);
      await time.pass();
      same(isOver, false, 'removing a provider touches no accepted run (S7.1)');
      await disposed(world, child, 'a child whose provider was removed is disposed');
      await nothingLeft(world, 'nothing is left of a child whose provider was removed');
    },
  },
];

async function stopReasonOf(
  { time }: ProviderWorld,
  child: { readonly result: Promise<{ readonly stopReason: string }> },
): Promise<string> {
  return (await time.settled(child.result, 'the result of a stopped child settles')).stopReason;
}
