/**
 * Runs the benchmarks: all of them, or those whose names are given or begin with a given name and a dot.
 *
 *   --json   one JSON object on stdout and nothing else: { rows: [{ name, value, unit, ... }] }
 *   --quick  tiny sizes and one round, to see that everything runs; the figures mean nothing
 *
 * Exits with 1 if a row fails, with 2 if it was asked for one that does not exist. Missing a target is not a failure.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Figures, Row } from './row.ts';
import { rows } from './rows.ts';
import { heading, line } from './table.ts';

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean' }, quick: { type: 'boolean' } },
  allowPositionals: true,
});
const chosen = positionals.length === 0 ? rows : rows.filter(({ name }) => positionals.some((asked) => isCalled(name, asked)));
const unknown = positionals.filter((asked) => !rows.some(({ name }) => isCalled(name, asked)));
if (unknown.length > 0) {
  console.error(`no row is called ${unknown.join(', ')}; there are ${rows.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const measured: object[] = [];
if (values.json !== true) console.log(heading());
for (const row of chosen) {
  const figures = await measureApart(row);
  measured.push({ name: row.name, unit: row.unit, ...rounded(figures) });
  if (values.json !== true) console.log(line(row, figures));
}
if (values.json === true) console.log(JSON.stringify({ rows: measured }));

function isCalled(name: string, asked: string): boolean {
  return name === asked || name.startsWith(`${asked}.`);
}

/** In a process of its own: what one row makes polymorphic or leaves on the heap must not touch the next. */
async function measureApart({ name }: Row): Promise<Figures> {
  const effort = values.quick === true ? ['quick'] : [];
  const worker = fork(join(import.meta.dirname, 'worker.ts'), [name, ...effort], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced', // JSON has no infinity
  });
  let figures: Figures | undefined;
  worker.on('message', (message) => {
    figures = message as Figures;
  });
  const [code] = await once(worker, 'exit');
  if (code === 0 && figures !== undefined) return figures;
  console.error(`${name} failed`);
  process.exit(1);
}

/** Four digits say all that such figures can say. */
function rounded(figures: Figures): Record<string, number> {
  const fields = Object.entries(figures).filter(([, value]) => Number.isFinite(value)) as [string, number][];
  return Object.fromEntries(fields.map(([field, value]) => [field, Number(value.toPrecision(4))]));
}
