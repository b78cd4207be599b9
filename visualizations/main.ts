/** Writes the machines as JSON, modules and diagrams, and the diagrams in the docs. `--check` writes nothing and fails if any has drifted. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exportedFiles, type Output, withDiagrams } from './exports.ts';

const root = join(import.meta.dirname, '..');
const pages = ['docs/concepts.md'];

const textOf = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined);

function wantedFiles(): Output[] {
  const drawn = pages.flatMap((path) => {
    const page = textOf(path);
    return page === undefined ? [] : [{ path, text: withDiagrams(page) }];
  });
  return [...exportedFiles(), ...drawn];
}

const drifted = wantedFiles().filter(({ path, text }) => textOf(path) !== text);

if (process.argv.includes('--check')) {
  for (const { path } of drifted) console.error(`${path} is not what the machines say; run npm run visualize`);
  process.exitCode = drifted.length > 0 ? 1 : 0;
} else {
  for (const { path, text } of drifted) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.log(`wrote ${path}`);
  }
  if (drifted.length === 0) console.log('nothing to write');
}
