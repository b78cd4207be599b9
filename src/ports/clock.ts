/** Time as the library sees it. Milliseconds everywhere. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. */
  now(): number;
  /** Calls `run` once after `delayMs`, unless the returned function is called before. Never calls it synchronously. */
  schedule(delayMs: number, run: () => void): CancelTimer;
}

export type CancelTimer = () => void;

/** The machine's clock. A pending timer does not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
