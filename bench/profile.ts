/**
 * Where a row spends its time: `node bench/profile.ts ROW`. Runs the row under the sampling profiler, its floors and its setup
 * included, and prints the share of self time by part and by function.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}
interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

const row = process.argv[2] ?? 'lifecycle.memory';
const folder = mkdtempSync(join(tmpdir(), 'troupe-profile-'));
// without a collector that can be called, so that only the collections that the work needs are counted
const flags = ['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', folder];
execFileSync(process.execPath, [...flags, join(import.meta.dirname, 'worker.ts'), row], { stdio: 'inherit' });
const [file = ''] = readdirSync(folder);
const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile;
rmSync(folder, { recursive: true });

const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
print(partOf, 16);
print(functionOf, 40);

function print(group: (frame: Frame) => string, count: number): void {
  const spent = new Map<string, number>();
  let total = 0;
  for (const [index, id] of profile.samples.entries()) {
    const frame = frames.get(id);
    const us = profile.timeDeltas[index] ?? 0;
    if (frame === undefined || frame.functionName === '(idle)') continue;
    const name = group(frame);
    spent.set(name, (spent.get(name) ?? 0) + us);
    total += us;
  }
  const sorted = [...spent].sort(([, one], [, other]) => other - one).slice(0, count);
  for (const [name, us] of sorted) console.log(`${((us / total) * 100).toFixed(1).padStart(5)} %  ${name}`);
  console.log();
}

function partOf({ functionName, url }: Frame): string {
  if (url === '') return functionName;
  if (url.includes('/node_modules/')) return /node_modules\/([^/]+)/.exec(url)?.[1] ?? url;
  return /\/((?:src\/\w+)|bench)\//.exec(url)?.[1] ?? url;
}

function functionOf({ functionName, url, lineNumber }: Frame): string {
  return `${functionName || '(anonymous)'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`;
}
