/** Several workers that play seeds side by side; each takes the next seed when it is done with one. */
import { Worker } from 'node:worker_threads';
import type { RunReport } from '../../../src/testing/simulation/run.ts';
import type { Replay } from './play-seed.ts';

/** Resolves when all are played, or `tell` has returned false. */
export async function playAll(
  replays: readonly Replay[],
  width: number,
  tell: (report: RunReport, replay: Replay) => boolean,
): Promise<void> {
  const waiting = [...replays];
  await Promise.all(Array.from({ length: Math.min(width, waiting.length) }, () => playOn(waiting, tell)));
}

function playOn(waiting: Replay[], tell: (report: RunReport, replay: Replay) => boolean): Promise<void> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url));
  let current: Replay | undefined;
  return new Promise((resolve, reject) => {
    const next = () => {
      current = waiting.shift();
      if (current === undefined) worker.terminate().then(() => resolve(), reject);
      else worker.postMessage(current);
    };
    worker.on('message', (report: RunReport) => {
      if (current !== undefined && !tell(report, current)) waiting.length = 0;
      next();
    });
    worker.on('error', (error) => reject(new Error(`seed ${current?.seed} ended its worker`, { cause: error })));
    next();
  });
}
