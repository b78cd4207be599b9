/**
 * Simulates whole trees of agents under many seeds: `npm run sim -- --seeds 600`. One seed again: `npm run sim -- --seed 17`,
 * with `--without KIND,…`, `--deeds N` and `--skip N,…` to leave parts of it out. `--json FILE` writes the figures down.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type FaultKind, faultKinds } from '../../src/testing/simulation/faults.ts';
import type { RunReport } from '../../src/testing/simulation/run.ts';
import { Figures } from './run/figures.ts';
import { type Replay, replayCommand } from './run/play-seed.ts';
import { playAll } from './run/pool.ts';
import { smallest } from './run/smallest.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    without: { type: 'string', default: '' },
    deeds: { type: 'string' },
    skip: { type: 'string', default: '' },
    twice: { type: 'string', default: '100' },
    workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    json: { type: 'string' },
  },
});

const listed = (text: string) => text.split(',').filter((part) => part !== '');
const common = {
  without: listed(values.without).filter((kind): kind is FaultKind => (faultKinds as readonly string[]).includes(kind)),
  skip: listed(values.skip).map(Number),
  ...(values.deeds !== undefined && { deeds: Number(values.deeds) }),
};
const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count) || count < 1) {
  console.error('npm run sim -- --seeds N [--seed S]: both are whole numbers');
  process.exit(2);
}
const replays: Replay[] = Array.from({ length: count }, (_, index) => ({ ...common, seed: first + index }));
const twice = replays.slice(0, Math.min(Number(values.twice), replays.length));

const figures = new Figures();
let failed: { report: RunReport; replay: Replay } | undefined;
await playAll([...replays, ...twice], Number(values.workers), (report, replay) => {
  figures.add(report);
  if (report.violations.length > 0 && failed === undefined) failed = { report, replay };
  return failed === undefined;
});
console.log(figures.text());
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(figures.data(), null, 2));
for (const seed of figures.unequal)
  console.log(`seed ${seed} did not run twice the same way: ${replayCommand({ ...common, seed })}`);
if (failed !== undefined) {
  const { report, replay } = failed;
  console.log(`\nseed ${report.seed}: ${report.violations.join('\n  ')}`);
  console.log(`again:   ${replayCommand(replay)}`);
  console.log(`smaller: ${replayCommand(await smallest(replay, report.faults))}`);
}
process.exitCode = failed === undefined && figures.unequal.length === 0 ? 0 : 1;
