/** Time and memory of the work under measurement. Times are microseconds, memory is bytes. */

/** What one unit of work (a child, a node, a message) cost. CPU is that of the main thread: collector threads do not count. */
export interface Spent {
  readonly cpuUs: number;
  readonly wallUs: number;
}

/** Runs `work`, which does `units` units, on a heap that was just collected. */
export async function spend(units: number, work: () => Promise<void>): Promise<Spent> {
  globalThis.gc?.();
  return timed(units, work);
}

/** For work that is over in a moment: a collection just before it would leave the processor's caches cold. */
export async function timed(units: number, work: () => Promise<void>): Promise<Spent> {
  const cpuBefore = cpuUs();
  const wallBefore = performance.now();
  await work();
  const wallUs = (performance.now() - wallBefore) * 1_000;
  return { cpuUs: (cpuUs() - cpuBefore) / units, wallUs: wallUs / units };
}

function cpuUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** A measurement that sets up, spends, and clears away. */
export type Case = () => Promise<Spent>;

export interface Rounds {
  /** Rounds that do not count: code is compiled, and shared code becomes as polymorphic as it will. */
  readonly warmUps: number;
  readonly counted: number;
}

/** Runs the cases by turns, so that what disturbs the machine disturbs them alike. Medians of the counted rounds. */
export async function alternate<Name extends string>(
  { warmUps, counted }: Rounds,
  cases: Record<Name, Case>,
): Promise<Record<Name, Spent>> {
  const all = Object.entries<Case>(cases);
  const samples = all.map((): Spent[] => []);
  for (let round = 0; round < warmUps + counted; round++) {
    for (const [index, [, run]] of all.entries()) {
      const spent = await run();
      if (round >= warmUps) samples[index]?.push(spent);
    }
  }
  return Object.fromEntries(all.map(([name], index) => [name, middle(samples[index] ?? [])])) as Record<Name, Spent>;
}

export function middle(samples: readonly Spent[]): Spent {
  return { cpuUs: median(samples.map(({ cpuUs }) => cpuUs)), wallUs: median(samples.map(({ wallUs }) => wallUs)) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted.length >> 1;
  const lower = (sorted.length - 1) >> 1;
  return ((sorted[lower] ?? Number.NaN) + (sorted[upper] ?? Number.NaN)) / 2;
}

/** Bytes in use when nothing more can be collected: finalizers need turns of the event loop between collections. */
export async function heapBytes(): Promise<number> {
  for (let pass = 0; pass < 4; pass++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return process.memoryUsage().heapUsed;
}
