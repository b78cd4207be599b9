/** Plays seeds with a planted defect until a check says that something is wrong. */
import { Worker } from 'node:worker_threads';
import { playAll } from '../run/pool.ts';
import type { Defect } from './defect.ts';

export interface Hunt {
  readonly name: string;
  readonly promise: string;
  /** The first seed that found it; absent if none did. */
  readonly seed?: number;
  /** What was said first of that seed. */
  readonly violation?: string;
  readonly ms: number;
}

/** A defect that keeps its thread busy for so long is a fault of the defect. */
const msMax = 300_000;

/** From seed 1 to `seeds`, one after the other. Rejects if the defect cannot be planted, or ends its worker. */
export async function hunt({ name, promise }: Defect, seeds: number): Promise<Hunt> {
  const since = performance.now();
  let found: { seed: number; violation: string } | undefined;
  const replays = Array.from({ length: seeds }, (_, index) => ({ seed: 1 + index }));
  const tell = ({ seed, violations: [violation] }: { seed: number; violations: readonly string[] }) => {
    if (violation !== undefined) found = { seed, violation };
    return found === undefined;
  };
  let worker: Worker | undefined;
  const open = () => {
    worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: name });
    return worker;
  };
  const hanging = setTimeout(() => worker?.emit('error', new Error(`defect ${name} never lets go`)), msMax);
  await playAll(replays, 1, tell, open).finally(() => {
    clearTimeout(hanging);
    return worker?.terminate();
  });
  return { name, promise, ...found, ms: Math.round(performance.now() - since) };
}

/** Several defects side by side, `width` at a time. `tell` hears of each when its hunt is over. */
export async function huntAll(
  defects: readonly Defect[],
  { seeds, width, tell = () => undefined }: { seeds: number; width: number; tell?: (hunt: Hunt) => void },
): Promise<readonly Hunt[]> {
  const hunts: Hunt[] = [];
  const waiting = [...defects.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [place, defect] = next;
      const over = await hunt(defect, seeds);
      hunts[place] = over;
      tell(over);
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return hunts;
}
