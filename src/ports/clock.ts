/** Time as the library sees it. Milliseconds everywhere. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. */
  now(): number;
  /**
   * Calls `run` once after `delayMs`, unless the returned function is called before. Never calls it synchronously, and never
   * at all for a delay that a timer cannot hold (over 2,147,483,647 ms, some 25 days).
   */
  schedule(delayMs: number, run: () => void, options?: ScheduleOptions): CancelTimer;
}

export interface ScheduleOptions {
  /** True for what only serves a process that lives for other reasons. A deadline is waited for, so it keeps the process alive. */
  readonly isBackground?: boolean;
}

export type CancelTimer = () => void;

/** Beyond it Node fires a timer after 1 ms (its documentation of `setTimeout`). */
const timerMsMax = 2_147_483_647;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(delayMs, run, { isBackground = false } = {}) {
    if (delayMs > timerMsMax) return () => undefined;
    const timer = setTimeout(run, delayMs);
    if (isBackground) timer.unref();
    return () => clearTimeout(timer);
  },
};
