/** Folders on the real disk for one test file. After it the sessions in them are held against the contract, and they are removed. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { SubagentError } from '../../../src/errors.ts';
import type { SessionStore } from '../../../src/sessions/store.ts';
import { sqliteStore } from '../../../src/sessions/stores/sqlite.ts';
import { checkTrace, describeProblem } from '../../../src/testing/trace/check.ts';

const made: string[] = [];
/** Tests wrote logs of their own into these. */
const spoiled = new Set<string>();

afterAll(async () => {
  const problems: string[] = [];
  for (const folder of made.splice(0)) {
    if (!spoiled.has(folder)) problems.push(...(await traceProblems(folder)).map((problem) => `${folder}: ${problem}`));
    rmSync(folder, { recursive: true, force: true });
  }
  if (problems.length > 0) throw new Error(`what is stored breaks the contract:\n${problems.join('\n')}`);
}, 60_000);

/** The test writes logs by hand into the database of this folder: they are not held against the contract. */
export function expectTraceProblems(folder: string): void {
  spoiled.add(folder);
}

async function traceProblems(folder: string): Promise<string[]> {
  const path = join(folder, '.troupe', 'sessions.db');
  if (!existsSync(path)) return [];
  let store: SessionStore | undefined;
  try {
    store = sqliteStore({ path });
    return (await checkTrace(store)).problems.map(describeProblem);
  } catch (error) {
    if (error instanceof SubagentError) return []; // a test damaged it, and what cannot be read cannot be judged
    throw error;
  } finally {
    await store?.close();
  }
}

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
