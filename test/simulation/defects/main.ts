/**
 * Proves that the checks of the simulation work: plants each defect of this folder in turn and plays seeds until one is found wrong.
 * `node test/simulation/defects/main.ts [--only NAME,…] [--seeds 200] [--json FILE]`
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { defectNames, loadDefect } from '../planting/all-defects.ts';
import { type Hunt, huntAll } from '../planting/hunt.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '200' },
    workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    json: { type: 'string' },
  },
});
const seeds = Number(values.seeds);
if (!Number.isSafeInteger(seeds) || seeds < 1) {
  console.error('--seeds N: a whole number above 0');
  process.exit(2);
}

const since = performance.now();
const defects = await Promise.all((values.only?.split(',') ?? defectNames()).map(loadDefect));
const hunts = await huntAll(defects, { seeds, width: Number(values.workers), tell: (hunt) => console.log(lineOf(hunt)) });
const found = hunts.filter(({ seed }) => seed !== undefined).length;
const seconds = Math.round((performance.now() - since) / 100) / 10;
console.log(`${found} of ${hunts.length} found, in ${seconds} s`);
if (values.json !== undefined)
  writeFileSync(values.json, JSON.stringify({ found, defects: hunts.length, seeds, seconds, hunts }, null, 2));
process.exitCode = found === hunts.length ? 0 : 1;

function lineOf({ name, promise, seed, violation, ms }: Hunt): string {
  const where = seed === undefined ? `not found in ${seeds} seeds` : `seed ${seed}`;
  return `${name} | ${promise} | ${where}, ${ms} ms | ${violation ?? ''}`;
}
