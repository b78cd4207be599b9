/** Starts processes that each have a runtime on the same store, and talks to them. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import type { Command } from './contender.ts';

export interface Contender {
  /** Resolves with what the command gave, or with `{ refused: code }`. */
  call(command: Command, ...values: readonly unknown[]): Promise<unknown>;
  /** Resolves when it is stopped. */
  freeze(): Promise<void>;
  thaw(): void;
}

/** It ends with the test at the latest. */
export async function startContender(path: string, leaseMs = 30_000): Promise<Contender> {
  const child = fork(new URL('./contender.ts', import.meta.url), { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const waiting = new Map<number, (value: unknown) => void>();
  let numbers = 0;
  child.on('message', ({ number, value }: { number: number; value: unknown }) => {
    waiting.get(number)?.(value);
    waiting.delete(number);
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL'); // also ends a frozen one
    await once(child, 'exit');
  });
  const contender: Contender = {
    call(command, ...values) {
      const number = numbers++;
      return new Promise((resolve) => {
        waiting.set(number, resolve);
        child.send({ number, command, values });
      });
    },
    async freeze() {
      child.kill('SIGSTOP');
      await expect.poll(() => stateOf(child.pid), { timeout: 30_000, interval: 5 }).toBe('T');
    },
    thaw: () => void child.kill('SIGCONT'),
  };
  expect(await contender.call('start', path, leaseMs)).toBeUndefined();
  return contender;
}

function stateOf(pid: number | undefined): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[0];
}
