/** External children at the port itself: what `start` gives, without a runtime in between. */
import type { ResolvedSubagentStartRequest, SubagentRun } from '../../../providers/contract.ts';
import { holds, same } from '../expect.ts';
import { disposed, holdsNoSecret, neededPrompt, type ProviderCase } from './bench.ts';
import { nothingLeft } from './left.ts';
import { isRun } from './watched-provider.ts';
import type { ProviderWorld } from './world.ts';

/** Characters; it is shown to models and people. */
const idCharactersMax = 256;

export const runCases: readonly ProviderCase[] = [
  {
    name: 'a run has an id in one line, a result and a dispose (S1.9)',
    async run(world) {
      const run = await startRun(world, world.prompts.completes);
      const isPlain = run.id !== '' && run.id.length <= idCharactersMax && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(run.id);
      holds(
        isPlain,
        `the id of a run has 1 to ${idCharactersMax} printable characters, in one line (S1.9): ${JSON.stringify(run.id)}`,
      );
      await world.time.settled(run.result, 'a run that completes ends');
      await disposed(world, run, 'a run is disposed');
    },
  },
  {
    name: 'the ids of runs are unique, side by side and one after the other (S1.9, P33)',
    async run(world) {
      const { prompts } = world;
      const ids: string[] = [];
      for (let round = 0; round < 2; round++) {
        const runs = await Promise.all([startRun(world, prompts.runs), startRun(world, prompts.runs)]);
        ids.push(...runs.map(({ id }) => id));
        for (const run of runs) await disposed(world, run, 'a run is disposed');
      }
      same(new Set(ids).size, ids.length, `an id is never used twice (S1.9, P33): ${ids.join(', ')}`);
    },
  },
  {
    name: 'a start whose signal has fired already leaves nothing behind (S1.6)',
    async run(world) {
      const starting = begin(world, world.prompts.runs, AbortSignal.abort());
      await takenBack(world, starting, 'a start whose signal has fired is answered soon (S1.6)');
      await nothingLeft(world, 'a start whose signal has fired leaves nothing (S1.6)');
    },
  },
  {
    name: 'a start that is told to stop while it is under way is answered soon and leaves nothing behind (S1.6)',
    async run(world) {
      const abort = new AbortController();
      const starting = begin(world, world.prompts.runs, abort.signal);
      await Promise.resolve();
      abort.abort();
      await takenBack(world, starting, 'a start whose signal fires is answered soon (S1.6)');
      await nothingLeft(world, 'a start whose signal fires leaves nothing (S1.6)');
    },
  },
  {
    name: 'a run ends when its signal fires, without being disposed (S1.6)',
    async run(world) {
      const { prompts, time } = world;
      const abort = new AbortController();
      const run = await startRun(world, prompts.runs, abort.signal);
      await time.rest();
      abort.abort();
      const { stopReason } = await time.settled(run.result, 'a running child honours its signal: its result settles (S1.6)');
      same(stopReason, 'aborted', 'a run that its signal ended was aborted (S5.2)');
      await disposed(world, run, 'a run whose signal has fired is disposed');
      await nothingLeft(world, 'nothing is left of a run that its signal ended');
    },
  },
  {
    name: 'the signal of a run fires on its disposal, before dispose is called, and only once it is disposed (S1.6)',
    async run(world) {
      const { prompts, time, provider } = world;
      const child = await world.started(prompts.runs);
      await time.rest();
      same(provider.starts.at(-1)?.request.signal.aborted, false, 'the signal has not fired while the child runs (S1.6)');
      await disposed(world, child, 'a child is disposed');
      same(provider.starts.at(-1)?.wasSignalled, true, 'the signal fires before dispose is called (S1.6)');
    },
  },
  {
    name: 'a start that fails rejects, has cleaned up, and says no secret (S7.8, P38)',
    needs: 'failsToStart',
    async run(world) {
      const { time, conformance } = world;
      const starting = begin(world, neededPrompt(world, 'failsToStart')).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      const failed = await time.settled(starting, 'a start that fails is answered');
      holds(failed !== undefined, 'a start that fails rejects (S7.8)');
      holdsNoSecret(String(failed.error), conformance, 'the error of a start');
      const processes = (await world.subject.countProcesses?.()) ?? 0;
      same(processes, 0, 'a start that fails has cleaned up what it made before it rejects (S7.8)');
    },
  },
];

/** Calls the provider as the runtime does. */
export function begin(
  world: ProviderWorld,
  prompt: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<SubagentRun> {
  const { provider, parent, conformance } = world;
  const request: ResolvedSubagentStartRequest = {
    cwd: conformance.cwd ?? '/project',
    label: 'worker',
    prompt: [{ type: 'text', text: prompt }],
    parent,
    signal,
  };
  return (async () => {
    const run = await provider.start?.(request);
    holds(isRun(run), 'a start fulfils with { id, result, dispose }');
    return run;
  })();
}

export async function startRun(world: ProviderWorld, prompt: string, signal?: AbortSignal): Promise<SubagentRun> {
  return world.time.settled(begin(world, prompt, signal), 'a start is answered');
}

/** It may reject, or fulfil with a run that ends by itself because its signal has fired. */
async function takenBack(world: ProviderWorld, starting: Promise<SubagentRun>, promise: string): Promise<void> {
  const { time } = world;
  const run = await time.settled(
    starting.catch(() => undefined),
    promise,
  );
  if (run === undefined) return;
  const { stopReason } = await time.settled(
    run.result,
    'a start honours its signal: it rejects, or its run ends by itself (S1.6)',
  );
  await disposed(world, run, 'a late run is disposed');
  holds(stopReason !== 'completed', 'a run that was stopped before it began has not completed');
}
