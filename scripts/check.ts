/**
 * All gates but the tests. `npm run check` runs them all; `npm run check -- layers types` runs the named ones.
 * Results are printed in the order of the list; two steps run at a time, and steps that read dist/ wait for the build.
 */
import { build } from './build.ts';
import { checkConsumers } from './consumer.ts';
import { cycleProblems } from './cycles.ts';
import { readDeterminism } from './determinism.ts';
import { publicEntries } from './entries.ts';
import { guaranteeProblems } from './guarantees.ts';
import { readImports } from './imports.ts';
import { layerProblems } from './layers.ts';
import { lockfileProblems } from './lockfile.ts';
import { readRetries } from './retries.ts';
import { type Outcome, run } from './run.ts';
import { type Job, schedule } from './schedule.ts';
import { readSizes } from './sizes.ts';

interface Step extends Job {
  readonly what: string;
}

const rule = (problems: readonly string[], warnings: readonly string[] = []): Outcome => ({
  passed: problems.length === 0,
  output: [...warnings.map((warning) => `warning: ${warning}`), ...problems].join('\n'),
});

const steps: readonly Step[] = [
  { name: 'types', what: 'the whole repository compiles', run: () => run('tsc', ['--noEmit', '-p', '.']) },
  { name: 'lint', what: 'biome finds nothing to say or to reformat', run: () => run('biome', ['check', '--error-on-warnings']) },
  { name: 'layers', what: 'imports point down and form no cycle', run: async () => checkLayers() },
  { name: 'sizes', what: 'no file is too long', run: async () => checkSizes() },
  { name: 'determinism', what: 'only ports reach the world', run: async () => rule(readDeterminism()) },
  { name: 'lockfile', what: 'the lockfile names no download address', run: async () => rule(lockfileProblems()) },
  { name: 'retries', what: 'no test gets a second chance', run: async () => rule(readRetries()) },
  { name: 'guarantees', what: 'docs/guarantees.md says what docs/figures.json says', run: async () => rule(guaranteeProblems()) },
  { name: 'build', what: 'dist is built', run: build },
  {
    name: 'api',
    what: 'the public API is the one in docs/api',
    after: 'build',
    run: () => run('node', ['scripts/api-report.ts']),
  },
  { name: 'consumer', what: 'an application compiles against the declarations', after: 'build', run: checkConsumers },
  { name: 'publint', what: 'the package can be published', after: 'build', run: () => run('publint', ['--strict']) },
  { name: 'attw', what: 'every entry resolves with types', after: 'publint', run: checkResolution },
];

function checkLayers(): Outcome {
  const imports = readImports(['src', 'cli']);
  const entries = publicEntries().map(({ source }) => source);
  return rule([...layerProblems(imports, entries), ...cycleProblems(imports)]);
}

function checkSizes(): Outcome {
  const { problems, warnings } = readSizes();
  return rule(problems, warnings);
}

function checkResolution(): Promise<Outcome> {
  return run('attw', ['--pack', '.', '--profile', 'esm-only', '--no-emoji', '--no-color']);
}

async function main(names: readonly string[]): Promise<boolean> {
  const unknown = names.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0)
    throw new Error(`no such step: ${unknown.join(', ')}. Steps: ${steps.map(({ name }) => name).join(', ')}`);
  const chosen = steps.filter(({ name }) => names.length === 0 || names.includes(name));
  const failed: string[] = [];
  for (const [name, promise] of schedule(chosen, 2)) {
    const { passed, output, ms } = await promise;
    const what = steps.find((step) => step.name === name)?.what;
    console.log(`${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(12)} ${what} (${(ms / 1000).toFixed(1)} s)`);
    if (output && (!passed || output.includes('warning'))) console.log(shortened(output));
    if (!passed) failed.push(name);
  }
  console.log(
    failed.length === 0
      ? 'check: all steps are ok'
      : `check: ${failed.length} of ${chosen.length} steps failed: ${failed.join(', ')}`,
  );
  return failed.length === 0;
}

/** A compiler's message about a vendor's types can run to thousands of lines. */
function shortened(output: string): string {
  const lines = output.split('\n').map((line) => `         ${line.length > 300 ? `${line.slice(0, 300)} ...` : line}`);
  return lines.length <= 120
    ? lines.join('\n')
    : [...lines.slice(0, 120), `         ... ${lines.length - 120} lines more`].join('\n');
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
