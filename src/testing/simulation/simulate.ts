/** Runs a host program under many seeds, and makes the first that fails smaller. */
import type { FaultKind } from './faults.ts';
import { type RunOptions, type RunReport, runSeed } from './run.ts';
import { shrinkList } from './shrink.ts';

export interface SimulateOptions extends Omit<RunOptions, 'seed'> {
  /** How many seeds. Default 100. */
  readonly seeds?: number;
  /** The first of them. Default 1. Give the seed of a failure, and `seeds: 1`, to see it again. */
  readonly firstSeed?: number;
}

export interface SimulationReport {
  /** Runs that came to their end; the last may have failed. */
  readonly seeds: number;
  /** Things that were chosen and done: answers of the disk, timers, moves of models and hosts. */
  readonly steps: number;
  /** Simulated time of all runs, in milliseconds. */
  readonly ms: number;
  /** How often each kind of fault struck. */
  readonly struck: Readonly<Partial<Record<FaultKind, number>>>;
  /** The first run in which something was wrong. */
  readonly failure?: SimulationFailure;
}

export interface SimulationFailure {
  readonly seed: number;
  /** What was wrong, the first first. */
  readonly violations: readonly string[];
  /** The kinds of faults without which it does not fail. */
  readonly faults: readonly FaultKind[];
  /** Options that show it again: `simulate({ ...options, ...replay })`. */
  readonly replay: { readonly firstSeed: number; readonly seeds: 1; readonly without: readonly FaultKind[] };
}

/** Ends at the first seed that fails. Nothing of it takes real time but computing. */
export async function simulate(options: SimulateOptions): Promise<SimulationReport> {
  const { seeds = 100, firstSeed = 1, ...rest } = options;
  const sum = { seeds: 0, steps: 0, ms: 0, struck: {} as Partial<Record<FaultKind, number>> };
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const report = await runSeed({ ...rest, seed });
    sum.seeds++;
    sum.steps += report.steps;
    sum.ms += report.ms;
    addStruck(sum.struck, report.struck);
    if (report.violations.length > 0) return { ...sum, failure: await smallestFailure(rest, report) };
  }
  return sum;
}

export function addStruck(sum: Partial<Record<FaultKind, number>>, struck: RunReport['struck']): void {
  for (const [kind, count] of Object.entries(struck) as [FaultKind, number][]) sum[kind] = (sum[kind] ?? 0) + count;
}

async function smallestFailure(
  options: Omit<RunOptions, 'seed'>,
  { seed, faults, violations }: RunReport,
): Promise<SimulationFailure> {
  const { without = [] } = options;
  const leavingOut = (kept: readonly FaultKind[]) => [...without, ...faults.filter((kind) => !kept.includes(kind))];
  const kept = await shrinkList(faults, async (kinds) => {
    const again = await runSeed({ ...options, seed, without: leavingOut(kinds) });
    return again.violations.length > 0;
  });
  return { seed, violations, faults: kept, replay: { firstSeed: seed, seeds: 1, without: leavingOut(kept) } };
}
