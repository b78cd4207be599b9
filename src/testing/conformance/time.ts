/**
 * Waiting in a suite that serves subjects of two kinds: those whose time is simulated, where nothing waits and a bound passes as
 * soon as nothing else can happen, and real processes, which take the time that they take.
 */
import { type Clock, systemClock } from '../../ports/clock.ts';
import { nextTurn } from '../../ports/event-loop.ts';
import { manualClock } from '../clock.ts';

export interface TimeOptions {
  /**
   * `simulated`: time stands still while anything happens, and moves to the next timer when nothing does. `real`: for subjects
   * that reach outside the process. Default `simulated`.
   */
  readonly time?: 'simulated' | 'real';
  /** How long the suite waits for what must happen, in milliseconds of that time. Default 60,000. */
  readonly patienceMs?: number;
  /** How long nothing may happen before the suite believes that nothing will, in milliseconds. Real time only; default 100. */
  readonly quietMs?: number;
}

export interface Time {
  readonly isReal: boolean;
  readonly clock: Clock;
  /** Resolves when `condition` holds. Rejects, naming `what`, when it does not within `ms` (default: the patience). */
  until(condition: () => boolean | Promise<boolean>, what: string | (() => string), ms?: number): Promise<void>;
  /** What `work` gives; rejects, naming `what`, when it is not settled within `ms` (default: the patience). */
  settled<Value>(work: Promise<Value>, what: string, ms?: number): Promise<Value>;
  /** Resolves when what is under way has come to rest, without moving simulated time. */
  rest(): Promise<void>;
  /** Lets a while pass in which something could happen that must not: a second of simulated time, or the quiet time. */
  pass(): Promise<void>;
}

/** Turns of the event loop in which nothing happened, before simulated time moves. */
const turnsPerStep = 25;
const turnsPerPause = 5;
const pollMs = 2;
const whileMs = 1_000;
const whileStepMs = 100;

export function timeFor(options: TimeOptions): Time {
  const { time = 'simulated', patienceMs = 60_000, quietMs = 100 } = options;
  return time === 'real' ? realTime(patienceMs, quietMs) : simulatedTime(patienceMs);
}

function simulatedTime(patienceMs: number): Time {
  const clock = manualClock();
  const until: Time['until'] = async (condition, what, ms = patienceMs) => {
    const deadline = clock.now() + ms;
    for (;;) {
      for (let turn = 0; turn < turnsPerStep; turn++) {
        if (await condition()) return;
        await nextTurn();
      }
      const due = clock.nextDue();
      if (due === undefined || due > deadline) throw new Error(`${said(what)} (it had not happened after ${ms} simulated ms)`);
      clock.advance(due - clock.now());
    }
  };
  const rest = async () => {
    for (let turn = 0; turn < turnsPerStep; turn++) await nextTurn();
  };
  const pass = async () => {
    for (let left = whileMs; left > 0; left -= whileStepMs) {
      clock.advance(whileStepMs);
      for (let turn = 0; turn < turnsPerPause; turn++) await nextTurn();
    }
  };
  return { isReal: false, clock, until, rest, pass, settled: settledBy(until) };
}

function realTime(patienceMs: number, quietMs: number): Time {
  const pause = (ms: number) => new Promise<void>((resolve) => systemClock.schedule(ms, resolve));
  const until: Time['until'] = async (condition, what, ms = patienceMs) => {
    const deadline = systemClock.now() + ms;
    for (let turn = 0; ; turn++) {
      if (await condition()) return;
      if (systemClock.now() > deadline) throw new Error(`${said(what)} (it had not happened after ${ms} ms)`);
      await (turn < turnsPerStep ? nextTurn() : pause(pollMs));
    }
  };
  const rest = () => pause(quietMs);
  return { isReal: true, clock: systemClock, until, rest, pass: rest, settled: settledBy(until) };
}

function said(what: string | (() => string)): string {
  return typeof what === 'string' ? what : what();
}

function settledBy(until: Time['until']): Time['settled'] {
  return async (work, what, ms) => {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    work.then(settle, settle);
    await until(() => isSettled, what, ms);
    return await work;
  };
}
