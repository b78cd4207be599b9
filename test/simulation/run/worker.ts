/** Plays the seeds that it is given, one after the other, and tells of each. */
import { parentPort } from 'node:worker_threads';
import { playSeed, type Replay } from './play-seed.ts';

const escaped: string[] = [];
process.on('unhandledRejection', (reason) => escaped.push(`an unhandled rejection: ${String(reason)}`));
process.on('uncaughtException', (error) => escaped.push(`an uncaught exception: ${String(error)}`));

parentPort?.on('message', (replay: Replay) => {
  play(replay).catch((error: unknown) => {
    throw error;
  });
});

async function play(replay: Replay): Promise<void> {
  const report = await playSeed(replay);
  await new Promise((resolve) => setImmediate(resolve)); // what nobody handles is told by then
  parentPort?.postMessage({ ...report, violations: [...report.violations, ...escaped.splice(0)] });
}
