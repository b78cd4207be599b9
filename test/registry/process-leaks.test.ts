/** R16, P32: what rounds of real time on a real store leave in a process that does nothing else. TROUPE_NIGHTLY=1 makes it ten times as many. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempFolder } from '../sessions/temp-folder.ts';
import { noteFigure } from '../support/figures.ts';
import type { LeftByRounds } from './leak-rounds.ts';

const rounds = process.env.TROUPE_NIGHTLY === '1' ? 10_000 : 1_000;
const heapBytesMax = 1_024;

/** Rejects if the process does not end by itself in time. */
async function leftBy(kind: string, count: number): Promise<LeftByRounds> {
  const script = fileURLToPath(new URL('leak-rounds.ts', import.meta.url));
  const values = ['--expose-gc', '--disable-warning=ExperimentalWarning', script, kind, String(count), tempFolder('quick')];
  const { stdout } = await promisify(execFile)(process.execPath, values, { timeout: count * 200 });
  return JSON.parse(stdout) as LeftByRounds;
}

test.each([
  ['lives', 'of a child that comes to its end and one that is disposed in the middle of its turn', rounds],
  ['runtimes', 'of a runtime and its store that are closed while a child is in its turn', rounds / 2],
])(
  '%s: rounds %s leave no handle, descriptor or listener, and less than 1 KB of heap each, and the process ends by itself (R16)',
  async (kind, _, count) => {
    const { heapBytesPerRound, ...left } = await leftBy(kind, count);
    noteFigure('processRounds', left.rounds);
    noteFigure('handlesLeft', left.handles);
    noteFigure('descriptorsLeft', left.descriptors);
    noteFigure('listenersLeft', left.listeners);
    noteFigure(`heapBytesPerRound.${kind}`, heapBytesPerRound);
    expect(left).toEqual({ rounds: count, handles: 0, descriptors: 0, listeners: 0, faults: 0 });
    expect(heapBytesPerRound).toBeLessThan(heapBytesMax);
  },
  rounds * 250,
);
