/** Several workers that play seeds side by side; each takes the next seed when it is done with one. */
import { Worker } from 'node:worker_threads';
import type { RunReport } from '../../../src/testing/simulation/run.ts';
import type { Replay } from './play-seed.ts';

type Tell = (report: RunReport, replay: Replay) => boolean;

/** Resolves when all are played, or `tell` has returned false. `open`: makes a worker that plays what it is sent. */
export async function playAll(replays: readonly Replay[], width: number, tell: Tell, open = openWorker): Promise<void> {
  const waiting = [...replays];
  await Promise.all(Array.from({ length: Math.min(width, waiting.length) }, () => playOn(waiting, tell, open())));
}

function openWorker(): Worker {
  return new Worker(new URL('./worker.ts', import.meta.url));
}

function playOn(waiting: Replay[], tell: Tell, worker: Worker): Promise<void> {
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
