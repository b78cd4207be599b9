/** A point at which a script stops until the test says go on. Once open it stays open. */
export interface Gate {
  /** Resolves when something has come to the gate. */
  readonly reached: Promise<void>;
  readonly isReached: boolean;
  open(): void;
  /** What waits at the gate, and whoever comes later, gets this error. */
  fail(error: unknown): void;
  /** For scripts: comes to the gate and resolves when it is open. */
  pass(): Promise<void>;
}

export function gate(): Gate {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  opened.promise.catch(() => undefined);
  let isReached = false;
  return {
    reached: reached.promise,
    get isReached() {
      return isReached;
    },
    open: () => opened.resolve(),
    fail: (error) => opened.reject(error),
    pass() {
      isReached = true;
      reached.resolve();
      return opened.promise;
    },
  };
}

/** Resolves with true when `signal` fires, with false when `work` is over before. Rejects as `work` does. */
export async function unlessAborted(work: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return true;
  const aborted = Promise.withResolvers<true>();
  const abort = () => aborted.resolve(true);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([aborted.promise, work.then(() => false)]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
