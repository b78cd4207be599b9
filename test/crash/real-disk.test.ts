/** Disks that are really full, under a whole runtime (R9). What they do to a store alone is in test/sessions. */
import { execFile, spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { tempFolder } from '../sessions/temp-folder.ts';
import { codeOf } from '../support/code-of.ts';
import { noteFigure } from '../support/figures.ts';
import { problemsOf } from './checks.ts';
import type { FullTmpfsReport } from './full-tmpfs.ts';
import { rescue } from './rescue.ts';

/** Linux lets an ordinary user mount in a namespace of his own, unless the administrator forbids it. */
const canMount = spawnSync('unshare', ['-Urm', 'true']).status === 0;
noteFigure('fullDisks', 0); // none is a figure too
if (!canMount) console.warn('no small disk can be mounted here: the tests of a full one are left out');
const mounted = 'mount -t tmpfs -o size="$1"k tmpfs "$2" && exec "$3" --disable-warning=ExperimentalWarning "$4" "$2"';

async function fill(sizeKb: number): Promise<FullTmpfsReport> {
  const script = fileURLToPath(new URL('./full-tmpfs.ts', import.meta.url));
  const values = [String(sizeKb), tempFolder(), process.execPath, script];
  const { stdout } = await promisify(execFile)('unshare', ['-Urm', 'sh', '-c', mounted, 'sh', ...values]);
  return JSON.parse(stdout) as FullTmpfsReport;
}

describe.runIf(canMount)('a runtime on a disk that fills up', () => {
  test.each([768, 1_024, 1_536])(
    'of %i KB refuses STORE_FULL, closes, loses nothing it took, and goes on with new room (R1, R9)',
    async (size) => {
      const { refusal, told, closing, afterwards, faults, sessions } = await fill(size);
      expect({ refusal, afterwards, faults }).toEqual({ refusal: 'STORE_FULL', afterwards: 'done', faults: [] });
      expect(['done', 'ACTIVATION_TEARDOWN_FAILED']).toContain(closing);
      expect(told.length).toBeGreaterThan(0);
      const report = { resumed: [], told: [], removed: [], waiting: [] };
      expect(problemsOf({ sessions, told, effects: [], pending: [], report, faults, lives: [] })).toEqual([]);
      noteFigure('fullDisks', 1);
    },
  );
});

describe.runIf(process.platform === 'linux')('/dev/full', () => {
  const silent = { told: () => undefined, effect: () => undefined };

  test('as a store is refused with a code, and as a folder too', async () => {
    for (const path of ['/dev/full', '/dev/full/store.db']) {
      expect(['INVALID_ARGUMENT', 'STORE_FULL', 'STORE_FAILED', 'STORE_DAMAGED']).toContain(
        await codeOf(() => sqliteStore({ path })),
      );
    }
  });

  test('as the mark of a store costs nobody a message: what was committed is accepted', async () => {
    const path = `${tempFolder('quick')}/store.db`;
    symlinkSync('/dev/full', `${path}-mark`);
    const store = sqliteStore({ path });
    expect((await rescue(store, silent)).faults).toEqual([]);
    await store.close();
    const again = sqliteStore({ path });
    expect(await again.roots()).toHaveLength(1);
    await again.close();
  });
});
