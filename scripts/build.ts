/**
 * Emits dist/ (JavaScript and declarations of src and cli) and leaves nothing of an earlier build in it.
 * The new folder replaces the old one in one step, so that two builds at the same time do not mix.
 */
import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';
import { type Outcome, run } from './run.ts';

export async function build(): Promise<Outcome> {
  const fresh = join(root, `dist-${process.pid}`);
  const outcome = await run('tsc', ['-p', 'tsconfig.build.json', '--outDir', fresh]);
  if (outcome.passed) {
    const program = join(fresh, 'cli', 'main.js');
    if (existsSync(program)) chmodSync(program, 0o755);
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    renameSync(fresh, join(root, 'dist'));
  }
  rmSync(fresh, { recursive: true, force: true });
  return outcome;
}

if (process.argv[1] === import.meta.filename) {
  const { passed, output } = await build();
  if (output) console.error(output);
  process.exitCode = passed ? 0 : 1;
}
