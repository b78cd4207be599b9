/** How runs end, at the port itself. */
import type { SubagentResult, SubagentRun } from '../../../providers/contract.ts';
import { textOf } from '../../../sessions/content.ts';
import { answerOf, holds, same } from '../expect.ts';
import { disposed, judgeResult, neededPrompt, type ProviderCase } from './bench.ts';
import { nothingLeft } from './left.ts';
import { startRun } from './runs.ts';
import type { ProviderWorld } from './world.ts';

export const runEndCases: readonly ProviderCase[] = [
  {
    name: 'a run that completes resolves with what it said (S5.1)',
    async run(world) {
      const run = await startRun(world, world.prompts.completes);
      const result = await resultOf(world, run, 'a run that completes');
      same(result.stopReason, 'completed', 'a natural end is completed (P04)');
      holds(textOf(result.output) !== '', 'the output of a run is what it said last (S5.1)');
      judgeResult(result, world);
      await disposed(world, run, 'a run that has ended is disposed');
      await nothingLeft(world, 'nothing is left of a run that completed');
    },
  },
  {
    name: 'a run that fails resolves and does not reject, within the bounds of a diagnostic (S1.4, S5.4)',
    needs: 'fails',
    async run(world) {
      const run = await startRun(world, neededPrompt(world, 'fails'));
      const result = await resultOf(world, run, 'a run that fails');
      holds(result.stopReason !== 'completed', 'a failure is never completed (P04)');
      judgeResult(result, world);
      await disposed(world, run, 'a run that has failed is disposed');
      await nothingLeft(world, 'nothing is left of a run that failed');
    },
  },
  {
    name: 'dispose ends a run: its result resolves as aborted, and nothing is left when it has resolved (S7.8)',
    async run(world) {
      const { prompts, time, subject } = world;
      const run = await startRun(world, prompts.runs);
      await time.pass();
      same(
        await time.settled(answerOf(run.dispose()), 'dispose of a run is bounded (P24)'),
        'resolved',
        'dispose of a run succeeds',
      );
      const processes = (await subject.countProcesses?.()) ?? 0;
      same(processes, 0, 'dispose resolves at quiescence: the whole process tree is gone (S7.8)');
      const result = await resultOf(world, run, 'a run that is disposed');
      same(result.stopReason, 'aborted', 'a run that was disposed was aborted (S5.2)');
      judgeResult(result, world);
    },
  },
  {
    name: 'dispose of a run can be called again, at the same time and after the end (S1.5)',
    async run(world) {
      const { prompts, time } = world;
      const run = await startRun(world, prompts.runs);
      const bounded = (call: Promise<void>) => time.settled(answerOf(call), 'dispose of a run is bounded (P24)');
      const answers = await Promise.all([run.dispose(), run.dispose()].map(bounded));
      answers.push(await bounded(run.dispose()));
      same(answers, ['resolved', 'resolved', 'resolved'], 'dispose of a run is idempotent (S1.5)');
      const ended = await startRun(world, prompts.completes);
      const result = await resultOf(world, ended, 'a run that completes');
      same(await bounded(ended.dispose()), 'resolved', 'dispose after the end of a run succeeds (S1.5)');
      same(await ended.result, result, 'dispose after the end of a run changes nothing (P05)');
    },
  },
  {
    name: 'runs are independent: one is disposed, the other completes (S7.8, R12)',
    async run(world) {
      const { prompts, time } = world;
      const stopped = await startRun(world, prompts.runs);
      const other = await startRun(world, prompts.runs);
      const completing = await startRun(world, prompts.completes);
      await disposed(world, stopped, 'a run is disposed');
      const result = await resultOf(world, completing, 'a run beside a disposed one');
      same(result.stopReason, 'completed', 'a run completes whatever becomes of another (R12)');
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      other.result.then(over, over);
      await time.pass();
      same(isOver, false, 'a disposal ends one run and no other (P10)');
      for (const run of [other, completing]) await disposed(world, run, 'a run is disposed');
      await nothingLeft(world, 'nothing is left of three runs');
    },
  },
];

/** Throws if it rejects: that is for runs whose end nobody can express. */
async function resultOf({ time }: ProviderWorld, run: SubagentRun, whose: string): Promise<SubagentResult> {
  const said = run.result.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  const end = await time.settled(said, `the result of ${whose} settles`);
  if ('result' in end) return end.result;
  throw new Error(`a result never rejects unless capture failed (S1.4): that of ${whose} rejected with ${String(end.error)}`);
}
