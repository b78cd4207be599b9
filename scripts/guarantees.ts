/**
 * The table of docs/guarantees.md: what is promised, and what the last run of each suite has counted (docs/figures.json).
 * `node scripts/guarantees.ts --write` writes it again; `npm run check -- guarantees` fails if it is another.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';
import { type Goal, goals } from './guarantees/goals.ts';
import { type Recorded, readRecorded, type StepRecord } from './nightly/figures.ts';
import { type NightlyStep, type StepName, steps } from './nightly/steps.ts';

const page = join(root, 'docs/guarantees.md');
const [begin, end] = ['<!-- figures -->\n', '<!-- /figures -->'];
const count = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** What is wrong with the page; empty if nothing is. */
export function guaranteeProblems(): string[] {
  const recorded = readRecorded();
  const text = readFileSync(page, 'utf8');
  const isSame = withTable(text, table(recorded)) === text;
  return [
    ...goals.flatMap((goal) => missingFigures(goal, recorded)),
    ...(isSame ? [] : ['docs/guarantees.md does not say what docs/figures.json says: node scripts/guarantees.ts --write']),
  ];
}

export function writeGuarantees(): void {
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), table(readRecorded())));
}

/** Throws if the page has no place for it. */
export function withTable(text: string, between: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for the table: ${begin.trim()} … ${end}`);
  return `${text.slice(0, from + begin.length)}${between}${text.slice(to)}`;
}

export function table(recorded: Recorded): string {
  const rows = goals.map(({ id, promise, counted, uncounted, leavesOut }) => {
    const lines = (Object.entries(counted) as [StepName, string][]).map(([step, text]) => said(step, text, recorded[step]));
    return `| ${id} | ${promise} | ${[...(uncounted === undefined ? [] : [uncounted]), ...lines].join('<br>')} | ${leavesOut} |\n`;
  });
  const runs = steps.map((step) => ran(step, recorded[step.name]));
  return [
    '| | Promise | Counted in the last run | Not promised, or not covered |\n|---|---|---|---|\n',
    ...rows,
    '\n| Step | Command | Last run | |\n|---|---|---|---|\n',
    ...runs,
  ].join('');
}

function said(step: StepName, text: string, record: StepRecord | undefined): string {
  if (record === undefined) return `\`${step}\`: not run yet`;
  const of = `\`${step}\`, ${record.size}, ${record.date}`;
  if (!record.passed) return `**FAILED** (${of})`;
  return `${text.replace(/\{([^}]+)\}/g, (_, name: string) => number(record, name))} (${of})`;
}

function ran({ name, ci, nightly }: NightlyStep & { readonly name: StepName }, record: StepRecord | undefined): string {
  const { run, env = {} } = record?.size === 'ci' ? ci : nightly;
  const words = run.filter((word, index) => word !== '{json}' && run[index + 1] !== '{json}');
  const command = [...Object.entries(env).map(([key, value]) => `${key}=${value}`), ...words].join(' ');
  return `| \`${name}\` | \`${command}\` | ${record === undefined ? 'never |' : outcome(record)} |\n`;
}

function outcome({ size, date, seconds, node, passed }: StepRecord): string {
  return `${size}, ${date}, ${count.format(seconds)} s, Node ${node} | ${passed ? 'passed' : '**FAILED**'}`;
}

function number({ figures }: StepRecord, name: string): string {
  const value = figures[name];
  return value === undefined ? '?' : count.format(value);
}

/** A step that passed and did not count what the table is to say. */
function missingFigures({ id, counted }: Goal, recorded: Recorded): string[] {
  return (Object.entries(counted) as [StepName, string][]).flatMap(([step, text]) => {
    const record = recorded[step];
    if (record?.passed !== true) return [];
    const names = [...text.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
    return names.filter((name) => record.figures[name] === undefined).map((name) => `${id}: the step ${step} counted no ${name}`);
  });
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes('--write')) writeGuarantees();
  const problems = guaranteeProblems();
  if (problems.length > 0) console.log(problems.join('\n'));
  process.exitCode = problems.length === 0 ? 0 : 1;
}
