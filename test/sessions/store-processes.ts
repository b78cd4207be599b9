/** Starts processes that have a SQLite store open, and talks to them. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { SqliteStoreOptions } from '../../src/sessions/stores/sqlite.ts';
import type { StoreReply, StoreRequest } from './store-process.ts';

export interface StoreProcess {
  readonly pid: number;
  /** Resolves with what the method gave, or with the code of its refusal. Never, if the process is killed before. */
  call(method: StoreRequest['method'], ...values: readonly unknown[]): Promise<unknown>;
  /** Stops it for good and waits until it is gone. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

/** Starts the process without waiting for its store: call `open` for that. It ends with the test at the latest. */
export function startProcess(): StoreProcess {
  const child = fork(new URL('./store-process.ts', import.meta.url), { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const waiting = new Map<number, (answer: unknown) => void>();
  let numbers = 0;
  child.on('message', (reply: StoreReply) => {
    waiting.get(reply.number)?.('code' in reply ? reply.code : reply.value);
    waiting.delete(reply.number);
  });
  onTestFinished(() => end(child));
  return {
    pid: child.pid ?? 0,
    call(method, ...values) {
      const request: StoreRequest = { number: numbers++, method, values };
      return new Promise((resolve) => {
        waiting.set(request.number, resolve);
        child.send(request);
      });
    },
    kill: () => end(child),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

/** Throws if the store cannot be opened. */
export async function startStoreProcess(options: Omit<SqliteStoreOptions, 'clock'>): Promise<StoreProcess> {
  const started = startProcess();
  const refusal = await started.call('open', options);
  if (refusal !== undefined) throw new Error(`the store was not opened: ${refusal}`);
  return started;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL'); // also ends a frozen one
  await once(child, 'exit');
}
