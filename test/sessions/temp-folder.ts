import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** `quick`: in memory where the system has such a place, for tests that open hundreds of stores and prove no durability. */
type Kind = 'real' | 'quick';

/** A folder of its own, gone when the test that asked for it is over. */
export function tempFolder(kind: Kind = 'real'): string {
  const folder = makeFolder(kind);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The same for all tests of a file. To be called outside of them. */
export function suiteFolder(kind: Kind = 'real'): string {
  const folder = makeFolder(kind);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function makeFolder(kind: Kind): string {
  const parent = kind === 'quick' && existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  return mkdtempSync(join(parent, 'troupe-'));
}
