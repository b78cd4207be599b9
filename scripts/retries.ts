/** The rule that no test gets a second chance (R19): neither a configuration, nor a test, nor a command asks for retries or repeats. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, sourceFiles } from './files.ts';
import { lineOf, parse, walk } from './syntax.ts';

export function readRetries(): string[] {
  const configurations = readdirSync(root).filter((name) => /^vitest\..*\.?ts$/.test(name));
  const files = [...sourceFiles(['test']), ...configurations];
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  return [
    ...files.flatMap((path) => retriesIn(path, read(path))),
    ...['package.json', '.ci/run', 'scripts/nightly/steps.ts', 'scripts/nightly/shuffled.ts'].flatMap((path) =>
      /--(retry|repeats)\b/.test(read(path)) ? [`${path} asks for retries`] : [],
    ),
  ];
}

/** Options named `retry` or `repeats` with any value but 0. */
export function retriesIn(path: string, source: string): string[] {
  if (!/\b(retry|repeats)\b/.test(source)) return [];
  const problems: string[] = [];
  walk(parse(path, source), (node) => {
    const { type, key, value, start } = node as typeof node & Record<'key' | 'value', Record<string, unknown> | undefined>;
    const name = String(key?.name ?? key?.value);
    if (type !== 'Property' || !/^(retry|repeats)$/.test(name) || value?.value === 0) return;
    problems.push(`${path}:${lineOf(source, start)} asks for retries (${name}): a test passes always or never`);
  });
  return problems;
}
