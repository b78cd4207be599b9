/** P-1: two thousand children with large transcripts leave nothing behind. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('P-1.process.ts', import.meta.url));

test.each([
  ['keep', 2_050],
  ['forget', 0],
])(
  '2,000 children of 200 KB each grow the heap by less than 20 MB and leave no session, turn, run or timer, whether hosts keep or forget the handles: %s (P-1, P32, R16)',
  async (mode, handles) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, '2000', mode]);
    const left = JSON.parse(stdout) as Record<string, number>;
    expect(left).toMatchObject({ handles, timersLeft: 0, objectsLeft: 0, live: 0, residents: 1, externals: 0, logs: 1 });
    expect(left.objectsSeen).toBeGreaterThan(3_500);
    expect(left.grownBytes).toBeLessThan(20 * 1024 * 1024);
  },
  120_000,
);
