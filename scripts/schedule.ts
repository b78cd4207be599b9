/** Runs jobs side by side. A job waits for the one that it names, and fails unrun when that one failed. */
import type { Outcome } from './run.ts';

export interface Job {
  readonly name: string;
  /** The name of a job that comes earlier in the list. One that is not in the list is taken as done. */
  readonly after?: string;
  run(): Promise<Outcome>;
}

export interface TimedOutcome extends Outcome {
  readonly ms: number;
}

/** Starts the jobs in order, at most `width` at a time. The map has the order of the list. */
export function schedule(jobs: readonly Job[], width: number): Map<string, Promise<TimedOutcome>> {
  const outcomes = new Map<string, Promise<TimedOutcome>>();
  const places = new Places(width);
  for (const job of jobs) {
    const before = job.after === undefined ? undefined : outcomes.get(job.after);
    outcomes.set(job.name, runAfter(job, before, places));
  }
  return outcomes;
}

async function runAfter(job: Job, before: Promise<Outcome> | undefined, places: Places): Promise<TimedOutcome> {
  if (before && !(await before).passed) return { passed: false, output: `not run: ${job.after} failed`, ms: 0 };
  await places.take();
  const startedAt = performance.now();
  const outcome = await job.run().catch((error: unknown) => ({ passed: false, output: String(error) }));
  places.giveBack();
  return { ...outcome, ms: performance.now() - startedAt };
}

class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(width: number) {
    this.#free = width;
  }

  async take(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** A place given back goes to the job that has waited longest. */
  giveBack(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
