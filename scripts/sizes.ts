/** The file-size rule. Functions are measured by the linter (biome.json, noExcessiveLinesPerFunction). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, sourceFiles } from './files.ts';

export const linesToSplitAt = 250;
export const linesMax = 400;

export interface SizeReport {
  readonly warnings: string[];
  readonly problems: string[];
}

export function readSizes(): SizeReport {
  return judgeSizes(sourceFiles().map((path) => ({ path, lines: lineCount(readFileSync(join(root, path), 'utf8')) })));
}

export function judgeSizes(files: readonly { path: string; lines: number }[]): SizeReport {
  const warnings = files
    .filter(({ lines }) => lines > linesToSplitAt && lines <= linesMax)
    .map(({ path, lines }) => `${path} has ${lines} lines: over ${linesToSplitAt}, think of splitting it`);
  const problems = files
    .filter(({ lines }) => lines > linesMax)
    .map(({ path, lines }) => `${path} has ${lines} lines: the limit is ${linesMax}`);
  return { warnings, problems };
}

function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
