/** Time that stands still until a test moves it. */
import type { CancelTimer, Clock } from '../ports/clock.ts';
import { nextTurn } from '../ports/event-loop.ts';

export interface ManualClock extends Clock {
  /**
   * Moves time on by `ms`, stepping to each due time in order: a timer that arms another is never jumped over. Timers due at
   * the same moment run in the order in which they were set. Promises that they resolve are not waited for.
   */
  advance(ms: number): void;
  /** The same, but lets all that a step set off (promises and immediates) come to rest before the next step. */
  advanceAndSettle(ms: number): Promise<void>;
  /** When the next timer is due, in milliseconds since 1970; undefined if there is none. */
  nextDue(): number | undefined;
  /** How many timers are set. */
  readonly pendingTimers: number;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** `start` is the first `now()`, in milliseconds since 1970. */
export function manualClock(start = 1_700_000_000_000): ManualClock {
  let now = start;
  const timers = new Set<Timer>();

  function next(until: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers) if (timer.due <= until && (first === undefined || timer.due < first.due)) first = timer;
    return first;
  }

  /** Runs the next timer due by `until`; false if there is none. */
  function step(until: number): boolean {
    const timer = next(until);
    if (timer === undefined) return false;
    timers.delete(timer);
    now = Math.max(now, timer.due);
    timer.run();
    return true;
  }

  return {
    now: () => now,
    schedule(delayMs, run): CancelTimer {
      const timer = { due: now + Math.max(0, delayMs), run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const until = now + ms;
      while (step(until));
      now = until;
    },
    async advanceAndSettle(ms) {
      const until = now + ms;
      await settled();
      while (step(until)) await settled();
      now = until;
      await settled();
    },
    nextDue: () => next(Number.POSITIVE_INFINITY)?.due,
    get pendingTimers() {
      return timers.size;
    },
  };
}

/** A few turns of the event loop: enough for chains of promises, and for immediates that they set. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await nextTurn();
}
