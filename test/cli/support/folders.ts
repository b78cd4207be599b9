/** Folders on the real disk for one test file, removed after it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

const made: string[] = [];

afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}, 60_000);

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Keys are paths; one that ends in a slash is an empty directory. */
export function makeFolder(files: Files = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-cli-'));
  made.push(folder);
  addFiles(folder, files);
  return folder;
}

export function addFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    mkdirSync(path.endsWith('/') ? target : dirname(target), { recursive: true });
    if (!path.endsWith('/')) writeFileSync(target, content);
  }
}

export function makePipe(path: string): void {
  execFileSync('mkfifo', [path]);
}

/** Runs a line of shell in the folder, and gives what it prints. */
export function shell(folder: string, line: string): string {
  return execFileSync('sh', ['-c', line], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
    maxBuffer: 1e8,
  });
}

/** What `find` and `wc` say of the files of a survey. */
export function sizeByFindAndWc(folder: string, findCommand: string): { files: number; lines: number; bytes: number } {
  const files = Number(shell(folder, `${findCommand} | tr -cd '\\0' | wc -c`));
  const [lines = 0, , bytes = 0] = shell(folder, `${findCommand} | xargs -0 -r cat | wc`).trim().split(/\s+/).map(Number);
  return { files, lines, bytes };
}
