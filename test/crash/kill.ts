/** Kills a process at each of many operations, several at a time, and rescues what they left, several in one process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Moment } from './dying-store.ts';
import type { Aftermath } from './rescue.ts';

export interface KillPoint {
  readonly at: number;
  readonly moment: Moment;
}

export type Fate = { readonly point: KillPoint } & ({ readonly aftermath: Aftermath } | { readonly failure: string });

/** Points that share one rescuing process. */
const batchPoints = 20;
const processesMax = 2;

/** How many operations the scenario has, and what faults it reported, when nobody kills it. */
export async function countOperations(folder: string): Promise<{ operations: number; faults: string[] }> {
  mkdirSync(folder);
  const said = await outputOf(start('./victim.ts', [folder], folder));
  return JSON.parse(said) as { operations: number; faults: string[] };
}

/** The fate of every point, in no particular order. */
export async function killAt(points: readonly KillPoint[], folder: string): Promise<Fate[]> {
  const batches: (readonly KillPoint[])[] = [];
  for (let first = 0; first < points.length; first += batchPoints) batches.push(points.slice(first, first + batchPoints));
  const fates: Fate[] = [];
  const work = async () => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift())
      fates.push(...(await killBatch(batch, folder)));
  };
  await Promise.all(Array.from({ length: processesMax }, work));
  return fates;
}

async function killBatch(batch: readonly KillPoint[], folder: string): Promise<Fate[]> {
  const folders = batch.map(({ at, moment }) => `${folder}/${at}-${moment}`);
  for (const [index, { at, moment }] of batch.entries()) {
    const own = folders[index] ?? '';
    mkdirSync(own);
    await outputOf(start('./victim.ts', [own, String(at), moment], folder));
  }
  const rescuer = start('./rescuer.ts', [], folder);
  rescuer.stdin?.end(`${folders.join('\n')}\n`);
  const answers = (await outputOf(rescuer)).split('\n').filter(Boolean);
  for (const own of folders) rmSync(own, { recursive: true, force: true });
  return batch.map((point, index) => {
    const answer = JSON.parse(answers[index] ?? '{"failure":"no answer"}') as Aftermath | { readonly failure: string };
    return 'failure' in answer ? { point, failure: answer.failure } : { point, aftermath: answer };
  });
}

/** The code that Node compiles for one of these processes serves all. */
function start(script: string, values: readonly string[], folder: string): ChildProcess {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path, ...values], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: `${folder}/../compiled` },
  });
}

async function outputOf(child: ChildProcess): Promise<string> {
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close');
  return said;
}
