/**
 * Runs the suites at the size for which there is time at night, one step after the other, at most 90 minutes in all. Goes on after a
 * failure. Its last line is the sum of the steps, `N passed, N failed`.
 *
 *   --size ci        the same steps at the size that a change is tested with; default `nightly`
 *   --only sim,crash the named steps
 *   --write          writes what was counted to docs/figures.json and the table of docs/guarantees.md
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeGuarantees } from './guarantees.ts';
import { type Recorded, type StepRecord, writeRecorded } from './nightly/figures.ts';
import { runStep } from './nightly/run-step.ts';
import { type NightlyStep, nightMinutesMax, type Size, sizes, steps } from './nightly/steps.ts';

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: 'nightly' },
    only: { type: 'string', default: steps.map(({ name }) => name).join(',') },
    write: { type: 'boolean', default: false },
  },
});
const size = oneOf(sizes, values.size);
const chosen = values.only.split(',').map((name) => oneOf(steps, name, (step) => step.name));

const folder = mkdtempSync(join(tmpdir(), 'troupe-nightly-'));
console.log(`${size}: ${chosen.map(({ name }) => name).join(', ')}; output in ${folder}`);
const deadline = performance.now() + nightMinutesMax * 60_000;
const recorded: Partial<Record<string, StepRecord>> = {};
for (const step of chosen) recorded[step.name] = await night(step, size);

if (values.write) {
  writeRecorded(recorded as Recorded);
  writeGuarantees();
}
const failed = Object.values(recorded).filter((record) => record?.passed !== true).length;
console.log(`${chosen.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function night(step: NightlyStep, at: Size): Promise<StepRecord> {
  const { name, minutesMax } = step;
  const msMax = Math.max(1, Math.min(minutesMax * 60_000, deadline - performance.now()));
  const { passed, seconds, end, output, figures } = await runStep(step[at], { name, folder, msMax });
  console.log(
    `${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(9)} ${String(seconds).padStart(5)} s${passed ? '' : `  ${end}: ${output}`}`,
  );
  if (!passed) console.log(lastLines(output));
  const date = new Date().toISOString().slice(0, 10);
  return { size: at, date, node: process.versions.node, seconds, passed, figures };
}

function lastLines(output: string): string {
  const lines = readFileSync(output, 'utf8').trimEnd().split('\n');
  return lines
    .slice(-30)
    .map((line) => `         ${line.slice(0, 300)}`)
    .join('\n');
}

/** Ends the program if there is none of that name. */
function oneOf<Value>(all: readonly Value[], name: string, nameOf: (value: Value) => string = String): Value {
  const found = all.find((value) => nameOf(value) === name);
  if (found !== undefined) return found;
  console.error(`there is no ${name}; there are ${all.map(nameOf).join(', ')}`);
  process.exit(2);
}
