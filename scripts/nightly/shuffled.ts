/**
 * Runs the unit and contract suites many times, each time in another order of files and of tests, and compares what became of each
 * test (R19): `node scripts/nightly/shuffled.ts --runs 10`. Folders as arguments take the place of the suites. `--first 4` begins with
 * the order of seed 4; `--json FILE` writes the figures down. Fails if anything failed or differed.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../run.ts';

/** What mirrors `src`, the scenarios and the fixtures. Left out for their time: programs, pages, processes, random trees, hostile values. */
const suites = ['actors', 'agents', 'fixtures', 'machines', 'providers', 'registry', 'scenarios', 'sessions', 'testing', 'tools'];

/** What became of each test, by its file and name. */
type Outcomes = ReadonlyMap<string, string>;

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '10' }, first: { type: 'string', default: '1' }, json: { type: 'string' } },
  allowPositionals: true,
});
const folders = positionals.length > 0 ? positionals : suites.map((name) => `test/${name}/`);
const seeds = Array.from({ length: Number(values.runs) }, (_, index) => Number(values.first) + index);

delete process.env.TROUPE_FIGURES; // what these runs count was counted elsewhere
const folder = mkdtempSync(join(tmpdir(), 'troupe-shuffled-'));
const all: Outcomes[] = [];
let failures = 0;
for (const seed of seeds) {
  const report = join(folder, `${seed}.json`);
  const order = ['--sequence.shuffle.files', '--sequence.shuffle.tests', `--sequence.seed=${seed}`];
  const { passed, output } = await run('vitest', ['run', ...folders, ...order, '--reporter=json', `--outputFile=${report}`]);
  const outcomes = readOutcomes(report);
  const failed = [...outcomes].filter(([, outcome]) => outcome.includes('failed')).map(([name]) => name);
  if (!passed) {
    failures += Math.max(1, failed.length);
    console.log(
      `seed ${seed} failed: npx vitest run ${[...folders, ...order].join(' ')}\n  ${failed.join('\n  ')}\n${output.slice(-3_000)}`,
    );
  } else console.log(`seed ${seed}: ${outcomes.size} tests passed`);
  all.push(outcomes);
}
rmSync(folder, { recursive: true, force: true });

const different = differences(all);
for (const name of different) console.log(`not the same in every order: ${name}`);
const figures = { runs: seeds.length, tests: all[0]?.size ?? 0, failures, differences: different.length };
console.log(`${figures.runs} orders of ${figures.tests} tests: ${failures} failures, ${different.length} differences`);
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(figures));
process.exitCode = failures === 0 && different.length === 0 && figures.tests > 0 ? 0 : 1;

function readOutcomes(report: string): Outcomes {
  interface Report {
    testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[];
  }
  const outcomes = new Map<string, string>();
  if (!existsSync(report)) return outcomes; // it did not come to an end
  for (const { name: file, assertionResults } of (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults) {
    for (const { fullName, status } of assertionResults) {
      const name = `${file.slice(process.cwd().length + 1)}: ${fullName}`;
      outcomes.set(name, [outcomes.get(name) ?? [], status].flat().toSorted().join(' ')); // tests can share a name
    }
  }
  return outcomes;
}

/** Tests that were not there, or did not end alike, in all of them. */
function differences(each: readonly Outcomes[]): string[] {
  const names = new Set(each.flatMap((outcomes) => [...outcomes.keys()]));
  return [...names].filter((name) => new Set(each.map((outcomes) => outcomes.get(name))).size > 1);
}
