/** Runs a program of node_modules/.bin and keeps what it printed, in the order in which it was printed. */
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { root } from './files.ts';

export interface Outcome {
  readonly passed: boolean;
  readonly output: string;
}

export function run(command: string, args: readonly string[], cwd: string = root): Promise<Outcome> {
  const path = [join(root, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter);
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, PATH: path, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ passed: false, output: `${command}: ${error.message}` }));
    child.on('close', (code) => resolve({ passed: code === 0, output: Buffer.concat(chunks).toString().trim() }));
  });
}
