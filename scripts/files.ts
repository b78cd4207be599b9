/** Finds the source files of the repository. Paths are relative to the root, with forward slashes, sorted. */
import { existsSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** The folders that hold source. Left out: `test/consumer`, a project of its own, and `visualizations/exports`, which is generated. */
export const sourceFolders = ['src', 'cli', 'test', 'bench', 'scripts', 'visualizations'] as const;

const leftOut = /^(test\/consumer|visualizations\/exports)\//;

export function sourceFiles(folders: readonly string[] = sourceFolders): string[] {
  return folders.flatMap(filesUnder).sort();
}

function filesUnder(folder: string): string[] {
  const absolute = join(root, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.split(sep).join('/')}`)
    .filter((path) => /\.[cm]?ts$/.test(path) && !leftOut.test(path) && !path.includes('node_modules/'));
}
