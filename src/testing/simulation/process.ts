/** One simulated process with one runtime in it. When it dies, nothing of it reaches the world any more, and nothing is cleaned up. */
import type { CancelTimer, Clock, ScheduleOptions } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import { createRegistry, type RuntimeOptions } from '../../registry/create-runtime.ts';
import type { Registry } from '../../registry/registry.ts';
import { SubagentRuntime } from '../../registry/runtime.ts';
import type { SessionStore } from '../../sessions/store.ts';
import type { Doer, Schedule } from './schedule.ts';

export interface ProcessOptions {
  /** Unlike any other of the run, also of the same program before it died: ids begin with it. Letters and digits. */
  readonly name: string;
  readonly schedule: Schedule;
  readonly wall: () => number;
  open(doer: Doer): SessionStore;
  readonly runtime: Pick<RuntimeOptions, 'limits' | 'capacity' | 'presets'>;
}

export class SimulatedProcess implements Doer {
  readonly name: string;
  isAlive = true;
  isFrozen = false;
  /** When it last went on after it had stood still, in milliseconds of the run. */
  thawedAt = Number.NEGATIVE_INFINITY;
  /** For the program of the host. Its runtime has one of its own. */
  readonly clock: Clock;
  /** Of the runtime: what it waits for. Not those that only serve a process that lives for other reasons. */
  pendingTimers = 0;
  readonly store: SessionStore;
  readonly registry: Registry;
  readonly runtime: SubagentRuntime;
  /** Faults that the runtime reported because they have nobody to answer to. */
  readonly reported: { readonly where: string; readonly error: unknown }[] = [];
  readonly #whenDead: (() => void)[] = [];

  constructor({ name, schedule, wall, open, runtime }: ProcessOptions) {
    this.name = name;
    this.clock = {
      now: wall,
      schedule: (ms, run, { isBackground = false } = {}) =>
        schedule.after(ms, `timer ${name}`, run, { doer: this, isBackground }),
    };
    const clock: Clock = { now: wall, schedule: (ms, run, options) => this.#arm(ms, run, options) };
    this.store = open(this);
    this.registry = createRegistry({
      ...runtime,
      ...{ clock, ids: countedIds(name), store: this.store },
      onFault: (fault) => void this.reported.push(fault),
    });
    this.runtime = new SubagentRuntime(this.registry);
  }

  /** Kills it, as `kill -9` does. */
  die(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    for (const tell of this.#whenDead.splice(0)) tell();
  }

  #arm(ms: number, run: () => void, options: ScheduleOptions = {}): CancelTimer {
    const waits = options.isBackground === true ? 0 : 1;
    let isPending = true;
    const end = () => {
      if (isPending) this.pendingTimers -= waits;
      isPending = false;
    };
    this.pendingTimers += waits;
    const cancel = this.clock.schedule(
      ms,
      () => {
        end();
        run();
      },
      options,
    );
    return () => {
      end();
      cancel();
    };
  }

  whenDead(tell: () => void): void {
    if (this.isAlive) this.#whenDead.push(tell);
    else tell();
  }
}

function countedIds(prefix: string): Ids {
  let count = 0;
  return { next: () => `${prefix}${String(++count).padStart(26 - prefix.length, '0')}` };
}
