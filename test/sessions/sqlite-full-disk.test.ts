/** A disk that is really full: a small one in memory, mounted in a namespace of its own (R9). */
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { noteFigure } from '../support/figures.ts';
import type { FullDiskReport } from './full-disk.ts';
import { tempFolder } from './temp-folder.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // disks and processes: slow on a busy machine

/** Linux lets an ordinary user mount in a namespace of his own, unless the administrator forbids it. */
const canMount = spawnSync('unshare', ['-Urm', 'true']).status === 0;
noteFigure('fullDisks', 0); // none is a figure too
const mounted = 'mount -t tmpfs -o size="$1"k tmpfs "$2" && exec "$3" --disable-warning=ExperimentalWarning "$4" "$2" "$5"';

async function fill(folder: string, sizeKb: number, textLength: number): Promise<FullDiskReport> {
  const script = fileURLToPath(new URL('./full-disk.ts', import.meta.url));
  const values = [String(sizeKb), folder, process.execPath, script, String(textLength)];
  const { stdout } = await promisify(execFile)('unshare', ['-Urm', 'sh', '-c', mounted, 'sh', ...values]);
  return JSON.parse(stdout) as FullDiskReport;
}

/** 256 KB of the disk are taken, so the first sizes are too small to make a store at all. */
const sizesKb = [268, 300, 324, 348, 388, 420, 512, 1_024, 2_048];

test.runIf(canMount).for(sizesKb.flatMap((size) => [[size, 50] as const, [size, 9_000] as const]))(
  'a disk of %i KB full of texts of %i: refused, all that was acknowledged stays, the store goes on with new room (R9)',
  async ([sizeKb, textLength]) => {
    const report = await fill(tempFolder(), sizeKb, textLength);
    expect(report.refusal).toBe('STORE_FULL');
    if (report.acknowledged > 0) expect(report.readWhileFull).toBe(report.acknowledged);
    expect(report.afterwards).toBe('written');
    expect(report.readAfterReopening).toBe(report.acknowledged + 1);
    noteFigure('fullDisks', 1);
  },
);
