/** One seed of the random trees, played once. */
import type { FaultKind } from '../../../src/testing/simulation/faults.ts';
import { Random } from '../../../src/testing/simulation/random.ts';
import { type RunReport, runSeed } from '../../../src/testing/simulation/run.ts';
import { Play } from '../workload/play.ts';

/** What makes a run what it is. */
export interface Replay {
  readonly seed: number;
  readonly without?: readonly FaultKind[];
  /** How many deeds each host does, at most. */
  readonly deeds?: number | undefined;
  /** Numbers of deeds that are left out. */
  readonly skip?: readonly number[];
}

/** Of activations below one agent; the longest chain takes three. */
const places = [8, 8, 4] as const;

export function playSeed({ seed, without = [], deeds, skip = [] }: Replay): Promise<RunReport> {
  const play = new Play({ deeds, skip: new Set(skip) });
  const capacity = { perRoot: new Random(seed).stream('capacity').pick(places) };
  return runSeed({
    seed,
    runtime: { capacity },
    without,
    hosts: 2,
    program: play.program,
    checkers: (simulation) => play.attach(simulation),
  });
}

export function replayCommand({ seed, without = [], deeds, skip = [] }: Replay): string {
  const rest = [
    ...(without.length > 0 ? ['--without', without.join(',')] : []),
    ...(deeds !== undefined ? ['--deeds', String(deeds)] : []),
    ...(skip.length > 0 ? ['--skip', skip.join(',')] : []),
  ];
  return ['npm run sim --', '--seed', String(seed), ...rest].join(' ');
}
