/** Runs the program as its users do: a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

export interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with all of standard error so far, each time there is more. */
  readonly onStderr?: (text: string, child: ChildProcess) => void;
  /** Another entry than the program's. */
  readonly entry?: string;
}

export const repository = join(import.meta.dirname, '..', '..', '..');
export const programPath = join(repository, 'cli', 'main.ts');

export function runProgram(args: readonly string[], options: ProgramOptions = {}): Promise<Outcome> {
  const { TROUPE_MODEL: _, ...environment } = process.env;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [options.entry ?? programPath, ...args], {
    cwd: options.cwd,
    env: { ...environment, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    options.onStderr?.(stderr, child);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr, durationMs: performance.now() - startedAt }));
  });
}

/** The totals that a report states. */
export function totalsOf(report: string): { files: number; lines: number; bytes: number } {
  const row = /^\| \*\*all\*\* \| \*\*([\d,]+)\*\* \| \*\*([\d,]+)\*\* \| \*\*([\d,]+)\*\* \|$/m.exec(report);
  const [files = -1, lines = -1, bytes = -1] = (row ?? []).slice(1).map((text) => Number(text.replaceAll(',', '')));
  return { files, lines, bytes };
}

/** The `find` command that a report documents. */
export function findCommandOf(report: string): string {
  return /^find .+ -print0(?= \| xargs)/m.exec(report)?.[0] ?? 'false';
}

/** From the progress lines: how many agents lived below the top-level one at once, at most, and how deep. */
export function liveAgentsIn(stderr: string): { most: number; deepest: number } {
  let live = 0;
  let most = 0;
  let deepest = 0;
  for (const line of stderr.split('\n')) {
    const [, indent, word] = /^((?: {2})+)(\S+) /.exec(line) ?? [];
    if (indent === undefined || word === 'steered' || word === 'interrupted') continue;
    deepest = Math.max(deepest, indent.length / 2);
    live += word === 'started' ? 1 : -1;
    most = Math.max(most, live);
  }
  return { most, deepest };
}
