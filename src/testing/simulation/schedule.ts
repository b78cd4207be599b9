/**
 * Who goes on next. Everything that could happen now waits in a lane; one thing at a time is chosen by the seed and done, and all
 * that it sets off without the world comes to rest before the next is chosen. Time stands still meanwhile: it moves when nothing
 * is ready, to the next due moment, and never past one.
 *
 * I1  What waits in one lane goes on in the order in which it came.
 * I2  The same seed makes the same choices, as long as what runs reaches the world only through the schedule.
 */
import { nextTurn } from '../../ports/event-loop.ts';
import type { Random } from './random.ts';
import { type Timer, Timers } from './timers.ts';

/** Whose doing something is. What belongs to one that is dead never goes on; to one that is frozen, later. */
export interface Doer {
  readonly name: string;
  readonly isAlive: boolean;
  readonly isFrozen: boolean;
}

export interface ScheduleOptions {
  readonly random: Random;
  /**
   * `random`: any lane may be next. `priority`: the lane of the highest priority is, and at a few moments it loses its priority
   * (Burckhardt and others, "A randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010).
   */
  readonly order: 'random' | 'priority';
  /** How many moments there are at which priorities change, and in how many steps. */
  readonly changes?: { readonly count: number; readonly within: number };
  /** Share of steps in which the next timer comes first although other things are ready: whatever is ready is slow then. */
  readonly impatience?: number;
  /** Told of each step before it is done. */
  onStep?(what: string): void;
}

interface Task {
  readonly what: string;
  readonly run: () => void;
}

interface Lane {
  readonly name: string;
  readonly doer: Doer | undefined;
  readonly tasks: Task[];
  priority: number;
}

export class Schedule {
  /** Things done so far: what was ready, and timers. */
  steps = 0;
  impatience: number;
  readonly #random: Random;
  readonly #isByPriority: boolean;
  readonly #changes = new Set<number>();
  readonly #lanes = new Map<string, Lane>();
  readonly #priorities = new Map<string, number>();
  readonly #timers = new Timers();
  readonly #onStep: (what: string) => void;
  #lowest = 0;

  constructor({ random, order, changes, impatience = 0, onStep = () => undefined }: ScheduleOptions) {
    this.#random = random;
    this.#isByPriority = order === 'priority';
    this.impatience = impatience;
    this.#onStep = onStep;
    for (let left = changes?.count ?? 0; left > 0; left--) this.#changes.add(random.below(changes?.within ?? 1));
  }

  /** Milliseconds since the run began. Only timers move it. */
  get now(): number {
    return this.#timers.now;
  }

  /** Timers that somebody waits for. */
  get pendingTimers(): number {
    return this.#timers.pending;
  }

  /** Puts something behind what waits in the lane. */
  add(lane: string, what: string, run: () => void, doer?: Doer): void {
    const task = { what, run };
    const known = this.#lanes.get(lane);
    if (known !== undefined) known.tasks.push(task);
    else this.#lanes.set(lane, { name: lane, doer, tasks: [task], priority: this.#priorityOf(lane) });
  }

  /** Resolves when it is this lane's turn; never for a doer that dies before. */
  turn(lane: string, what: string, doer?: Doer): Promise<void> {
    return new Promise((resolve) => this.add(lane, what, resolve, doer));
  }

  /** Runs `run` once `ms` have passed. `isBackground`: nobody waits for it. Returns what takes it back. */
  after(ms: number, what: string, run: () => void, options: { doer?: Doer; isBackground?: boolean } = {}): () => void {
    return this.#timers.add(ms, { what, run, ...options });
  }

  /** Drops everything of doers that are dead, so that it is not looked at again and again. */
  forgetDead(): void {
    for (const [name, { doer }] of this.#lanes) if (doer?.isAlive === false) this.#lanes.delete(name);
    this.#timers.forgetDead();
  }

  /** Does the next thing and all that follows from it. `idle`: only background timers are left; `over`: not even those. */
  async step(): Promise<'done' | 'idle' | 'over'> {
    const lane = this.#choose();
    if (lane !== undefined && !(this.impatience > 0 && this.#random.chance(this.impatience))) {
      await this.#do(this.#take(lane));
      return 'done';
    }
    await nextTurn(); // what is under way in promises of others may become ready yet
    if (lane === undefined && this.#choose() !== undefined) return 'done';
    const isIdle = this.#timers.pending === 0;
    const timer = this.#timers.take();
    if (timer !== undefined) await this.#do(timer);
    else if (lane !== undefined) await this.#do(this.#take(lane));
    else return 'over';
    return isIdle && lane === undefined ? 'idle' : 'done';
  }

  async #do({ what, run }: Task | Timer): Promise<void> {
    this.steps++;
    this.#onStep(what);
    run();
    await nextTurn();
  }

  #choose(): Lane | undefined {
    const ready: Lane[] = [];
    for (const lane of this.#lanes.values()) if (lane.doer === undefined || isRunning(lane.doer)) ready.push(lane);
    if (ready.length === 0) return undefined;
    if (!this.#isByPriority) return ready.length === 1 ? ready[0] : this.#random.pick(ready);
    let first = highest(ready);
    if (this.#changes.delete(this.steps)) {
      first.priority = --this.#lowest;
      this.#priorities.set(first.name, first.priority);
      first = highest(ready);
    }
    return first;
  }

  #take(lane: Lane): Task {
    const task = lane.tasks.shift() as Task;
    if (lane.tasks.length === 0) this.#lanes.delete(lane.name);
    return task;
  }

  #priorityOf(lane: string): number {
    if (!this.#isByPriority) return 0;
    const known = this.#priorities.get(lane);
    if (known !== undefined) return known;
    const priority = this.#random.next();
    this.#priorities.set(lane, priority);
    return priority;
  }
}

export function isRunning(doer: Doer): boolean {
  return doer.isAlive && !doer.isFrozen;
}

function highest(lanes: readonly Lane[]): Lane {
  return lanes.reduce((one, other) => (other.priority > one.priority ? other : one));
}
