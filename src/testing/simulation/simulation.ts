/** One run of one seed: its time, its chance, its disk, its processes, and the account that the checks keep. */
import type { RuntimeOptions } from '../../registry/create-runtime.ts';
import { Database } from './database.ts';
import { Digest } from './digest.ts';
import { type FaultKind, Faults } from './faults.ts';
import type { StoreCall } from './journal-entry.ts';
import { SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import { type Doer, Schedule, type ScheduleOptions } from './schedule.ts';

export interface SimulationOptions {
  readonly random: Random;
  readonly faults: Iterable<FaultKind>;
  readonly order: ScheduleOptions['order'];
  readonly runtime: Pick<RuntimeOptions, 'limits' | 'capacity' | 'presets'>;
  /** How long a claim holds without renewal, in milliseconds. */
  readonly leaseMs: number;
}

/** Looks on, and says what is wrong. */
export interface Checker {
  opened?(process: SimulatedProcess): void;
  died?(process: SimulatedProcess): void;
  /** Its program has resolved and its runtime is closed. */
  closed?(process: SimulatedProcess): void;
  /** A call took effect in the store, or was refused. */
  stored?(call: StoreCall, error: unknown): void;
  /** Its process was told that it was done. */
  answered?(call: StoreCall): void;
  /** The power was gone; the store holds what the disk held. */
  reopened?(simulation: Simulation): Promise<void> | void;
  stepped?(simulation: Simulation): void;
  /** All programs are done, or a violation has ended the run. */
  ended?(simulation: Simulation): Promise<void> | void;
}

/** The first moment of every run, in milliseconds since 1970. */
const startOfTime = 1_700_000_000_000;
const steps = 1_000;
const changesMax = 12;
/** How far the clock on the wall is set, at most, in milliseconds. */
const jumpMsMax = 3_600_000;

export class Simulation {
  readonly random: Random;
  readonly faults: Faults;
  readonly schedule: Schedule;
  readonly database: Database;
  readonly digest = new Digest();
  readonly checkers: Checker[] = [];
  /** Every process there ever was. */
  readonly processes: SimulatedProcess[] = [];
  /** What the checks found. The first is the one that counts. */
  readonly violations: string[] = [];
  readonly #options: SimulationOptions;
  readonly #whenHealed: (() => void)[] = [];
  #wallOffset = startOfTime;
  #wallOffsetMax = startOfTime;

  constructor(options: SimulationOptions) {
    const { random, leaseMs, order } = options;
    this.#options = options;
    this.random = random;
    this.faults = new Faults(random.stream('faults'), options.faults);
    const shape = random.stream('schedule');
    this.schedule = new Schedule({
      random: shape,
      order,
      changes: { count: shape.below(changesMax), within: steps },
      impatience: this.faults.has('slow-disk') ? shape.pick([0, 0.002, 0.02]) : 0,
      onStep: (what) => this.digest.add(what),
    });
    this.database = new Database({
      schedule: this.schedule,
      faults: this.faults,
      random: random.stream('disk'),
      wall: () => this.wall(),
      leaseMs,
      crash: (writers) => this.#crash(writers),
      failed: () => this.schedule.after(1_000, 'machine starts again', () => this.cutPower()),
      onEffect: (call, error) => this.#stored(call, error),
      onAnswered: (call) => this.#tell((checker) => checker.answered?.(call)),
      onReopened: () => this.#tell((checker) => checker.reopened?.(this)),
    });
  }

  get live(): readonly SimulatedProcess[] {
    return this.processes.filter(({ isAlive }) => isAlive);
  }

  wall(): number {
    return this.schedule.now + this.#wallOffset;
  }

  say(violation: string): void {
    this.violations.push(violation);
  }

  start(name: string): SimulatedProcess {
    const { runtime } = this.#options;
    const process = new SimulatedProcess({
      ...{ name, runtime, schedule: this.schedule },
      wall: () => this.wall(),
      open: (doer) => this.database.open(doer),
    });
    this.processes.push(process);
    process.runtime.events$.subscribe((event) => this.digest.add(`${name} ${JSON.stringify(event)}`));
    for (const checker of this.checkers) checker.opened?.(process);
    return process;
  }

  kill(process: SimulatedProcess): void {
    if (!process.isAlive) return;
    this.digest.add(`kill ${process.name}`);
    for (const checker of this.checkers) checker.died?.(process);
    process.die();
    this.schedule.forgetDead();
  }

  /** Every process dies, and the disk forgets what was not synced. */
  cutPower(): void {
    this.digest.add('power cut');
    for (const process of this.processes) this.kill(process);
    try {
      this.database.cutPower();
    } catch (error) {
      this.say(`the disk: ${String(error)}`);
    }
  }

  freeze(process: SimulatedProcess, ms: number): void {
    process.isFrozen = true;
    this.schedule.after(ms, `thaw ${process.name}`, () => this.#thaw(process));
  }

  jump(): void {
    const random = this.faults.chanceOf('clock-jump');
    this.#wallOffset += Math.round((random.next() * 2 - 1) * jumpMsMax);
    this.#wallOffsetMax = Math.max(this.#wallOffsetMax, this.#wallOffset);
  }

  /** Resolves after `ms` milliseconds of simulated time, if the process is still alive then. */
  pause(process: SimulatedProcess, ms: number): Promise<void> {
    return new Promise((resolve) => void this.schedule.after(ms, `pause ${process.name}`, resolve, { doer: process }));
  }

  whenHealed(process: SimulatedProcess): Promise<void> {
    return new Promise((resolve) =>
      this.onHealed(() => this.schedule.add(`program ${process.name}`, 'healed', resolve, process)),
    );
  }

  /** Calls `tell` once nothing goes wrong any more. */
  onHealed(tell: () => void): void {
    if (this.faults.isOn) this.#whenHealed.push(tell);
    else tell();
  }

  /** From now on nothing goes wrong any more. */
  heal(): void {
    this.faults.isOn = false;
    this.digest.add('healed');
    for (const tell of this.#whenHealed.splice(0)) tell();
    this.schedule.impatience = 0;
    // the clock is set right: no lease ends later than it would have
    this.#wallOffset = Math.max(this.#wallOffset, this.#wallOffsetMax);
    for (const process of this.processes) this.#thaw(process);
    if (this.database.failure !== undefined) this.cutPower();
  }

  async step(): Promise<'done' | 'idle' | 'over'> {
    const outcome = await this.schedule.step();
    for (const checker of this.checkers) checker.stepped?.(this);
    return outcome;
  }

  #thaw(process: SimulatedProcess): void {
    if (!process.isFrozen) return;
    process.isFrozen = false;
    process.thawedAt = this.schedule.now;
  }

  /** Either the process of one writer, or the machine. */
  #crash(writers: readonly Doer[]): void {
    const random = this.faults.chanceOf('crash-before-sync');
    const victims = this.processes.filter((process) => process.isAlive && writers.includes(process));
    const victim = victims[random.below(victims.length + 1)];
    if (victim === undefined || random.chance(0.3)) this.cutPower();
    else this.kill(victim);
  }

  #stored(call: StoreCall, error: unknown): void {
    this.digest.add(`${call.method} ${error === undefined ? JSON.stringify(call) : String(error)}`);
    this.#tell((checker) => checker.stored?.(call, error));
  }

  #tell(what: (checker: Checker) => Promise<void> | void): void {
    for (const checker of this.checkers)
      Promise.resolve(what(checker)).catch((error: unknown) => this.say(`a check failed: ${error}`));
  }
}
