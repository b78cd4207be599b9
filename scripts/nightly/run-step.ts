/** Runs one step in a process group of its own, with a bound, its output in a file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from '../files.ts';
import { type Figures, figuresIn } from './figures.ts';
import type { Command } from './steps.ts';

export interface StepRun {
  readonly passed: boolean;
  readonly seconds: number;
  /** How it ended, in words. */
  readonly end: string;
  /** The file with everything that it printed. */
  readonly output: string;
  readonly figures: Figures;
}

export interface StepPlace {
  readonly name: string;
  /** Where its output and its figures go. */
  readonly folder: string;
  readonly msMax: number;
}

/** Between the request to end and the end by force. */
const graceMs = 10_000;

export async function runStep({ run: [program, ...values], env }: Command, { name, folder, msMax }: StepPlace): Promise<StepRun> {
  const output = join(folder, `${name}.txt`);
  const [lines, json] = [join(folder, `${name}.jsonl`), join(folder, `${name}.json`)];
  const file = openSync(output, 'w');
  const since = performance.now();
  const child = spawn(
    program,
    values.map((value) => (value === '{json}' ? json : value)),
    { cwd: root, detached: true, stdio: ['ignore', file, file], env: { ...environment(), ...env, TROUPE_FIGURES: lines } },
  );
  const end = await endOf(child, msMax);
  closeSync(file);
  const seconds = Math.round((performance.now() - since) / 1_000);
  return { passed: end === 'exit 0', seconds, end, output, figures: figuresIn(lines, json) };
}

function endOf(child: ChildProcess, msMax: number): Promise<string> {
  let isLate = false;
  const stop = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
  };
  const interrupted = () => {
    stop('SIGKILL');
    process.exit(130);
  };
  const late = setTimeout(() => {
    isLate = true;
    stop('SIGTERM');
    force = setTimeout(stop, graceMs, 'SIGKILL');
  }, msMax);
  let force: NodeJS.Timeout | undefined;
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  return new Promise((resolve) => {
    const done = (end: string) => {
      clearTimeout(late);
      clearTimeout(force);
      process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
      resolve(isLate ? `ended after ${Math.round(msMax / 1_000)} s` : end);
    };
    child.on('error', ({ message }) => done(message));
    child.on('exit', (code, signal) => done(signal === null ? `exit ${code}` : `ended by ${signal}`));
  });
}

/** Ours, without what would make a step smaller, bigger or another. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('TROUPE_'));
  const PATH = [join(root, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter);
  return { ...Object.fromEntries(kept), PATH, CI: 'true', NO_COLOR: '1' };
}
