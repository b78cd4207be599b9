/** What holds for every case of every suite: it ends, and no rejection is left that nobody handles. */
import { nextTurn } from '../../ports/event-loop.ts';
import { watchRejections } from '../../ports/rejections.ts';
import type { TestCase } from '../suite.ts';
import { bounded } from './bounded.ts';

/** `timeoutMs`: bound of the case, in milliseconds of real time. */
export function guardedCase(name: string, timeoutMs: number, run: () => Promise<void>): TestCase {
  return { name, run: () => bounded(guarded(run), timeoutMs, 'the case (something that was asked for is never answered?)') };
}

async function guarded(run: () => Promise<void>): Promise<void> {
  const watch = watchRejections();
  try {
    await run();
    for (let turn = 0; turn < 3; turn++) await nextTurn(); // Node tells a turn later
  } finally {
    watch.stop();
  }
  if (watch.seen.length === 0) return;
  const reasons = watch.seen.map((reason) => String(reason)).join('; ');
  throw new AggregateError(watch.seen, `a rejection was left that nobody handles (P31): ${reasons}`);
}
