/** A host program in a simulation: what it is given, and how it is started again when its process has died. */
import type { Clock } from '../../ports/clock.ts';
import type { SubagentRuntime } from '../../registry/runtime.ts';
import type { SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import type { Simulation } from './simulation.ts';

export interface SimulatedHost {
  /** `a`, or `b` for the second host on the store. */
  readonly name: string;
  readonly runtime: SubagentRuntime;
  /** Simulated: a deadline or a pause takes no real time. */
  readonly clock: Clock;
  /** The only chance that a program may use, so that its run can be repeated from the seed. */
  readonly random: Random;
  /** How often this program was started before. Above 0: its last process died or it failed. */
  readonly restarts: number;
  /** True from the moment on from which nothing goes wrong any more. */
  readonly isHealed: boolean;
  /** Resolves when nothing goes wrong any more: once every program waits here or is done, or the storm has lasted long enough. */
  untilHealed(): Promise<void>;
  /** True with the probability `share`: `if (host.chance(0.2)) throw new Error('down')`. */
  chance(share: number): boolean;
  /** Resolves after `ms` milliseconds of simulated time, or, with 0, once others have had a chance to go on first. */
  pause(ms?: number): Promise<void>;
}

/**
 * The host's own `main`: opens its agents, recovers, works, and resolves when all it wants is done. Called again, with a new
 * runtime on the same store, after its process died; it rejects if it cannot go on, and is then started again as well. One that
 * has resolved while things went wrong is called once more when nothing does any more: then everything must settle. It may not
 * wait for anything but promises of the runtime, of the host and of its own: real time and real input make a run that
 * cannot be repeated.
 */
export type HostProgram = (host: SimulatedHost) => Promise<void>;

/** Failures of a healed program that are one too many. */
const failuresMax = 3;

/** Keeps one program running until it has resolved. */
export class HostKeeper {
  isDone = false;
  /** Waits for the end of the storm. */
  isCalm = false;
  process: SimulatedProcess | undefined;
  readonly #name: string;
  readonly #program: HostProgram;
  readonly #simulation: Simulation;
  readonly #restartMs: number;
  #starts = 0;
  #failures = 0;
  #hasResolved = false;

  constructor(simulation: Simulation, name: string, program: HostProgram, restartMs: number) {
    this.#simulation = simulation;
    this.#name = name;
    this.#program = program;
    this.#restartMs = restartMs;
    this.#start();
  }

  #start(): void {
    const process = this.#simulation.start(`${this.#name}${this.#starts++}x`);
    this.process = process;
    this.isCalm = false;
    this.#hasResolved = false;
    process.whenDead(() => {
      this.process = undefined;
      if (this.#hasResolved) return;
      this.isCalm = false;
      this.#startAgain();
    });
    const host = this.#hostOf(process, this.#starts - 1);
    const work = async () => this.#program(host);
    work().then(
      () => this.#finish(process),
      (error: unknown) => this.#fail(process, error),
    );
  }

  #finish(process: SimulatedProcess): void {
    if (!process.isAlive) return;
    const over = () => {
      if (!process.isAlive) return;
      for (const checker of this.#simulation.checkers) checker.closed?.(process);
      this.#end(process);
    };
    process.runtime.close().then(over, (error: unknown) => {
      process.reported.push({ where: 'close', error });
      over();
    });
  }

  #end(process: SimulatedProcess): void {
    const { faults } = this.#simulation;
    this.isDone = !faults.isOn || faults.kinds.size === 0;
    this.#hasResolved = true;
    this.isCalm = true;
    this.#simulation.kill(process);
    if (!this.isDone) this.#simulation.onHealed(() => this.#startAgain());
  }

  /** When what its last process may still hold has run out. */
  #startAgain(): void {
    this.#simulation.schedule.after(this.#restartMs, `start ${this.#name}`, () => this.#start());
  }

  /** A program that rejects is a process that ends with an error. */
  #fail(process: SimulatedProcess, error: unknown): void {
    if (!process.isAlive) return;
    if (this.#simulation.faults.isOn === false && ++this.#failures > failuresMax) {
      this.#simulation.say(`program ${this.#name} fails although nothing is wrong any more: ${String(error)}`);
      this.isDone = true;
      this.#hasResolved = true;
    }
    this.#simulation.kill(process);
  }

  #hostOf(process: SimulatedProcess, restarts: number): SimulatedHost {
    const simulation = this.#simulation;
    const name = this.#name;
    const random = simulation.random.stream(`program ${process.name}`);
    return {
      ...{ name, restarts, random, runtime: process.runtime, clock: process.clock },
      get isHealed() {
        return !simulation.faults.isOn;
      },
      untilHealed: async () => {
        this.isCalm = true;
        await simulation.whenHealed(process);
      },
      chance: (share) => random.chance(share),
      pause: (ms = 0) =>
        ms > 0
          ? new Promise((resolve) => void simulation.schedule.after(ms, `pause ${name}`, resolve, { doer: process }))
          : simulation.schedule.turn(`program ${process.name}`, 'pause', process),
    };
  }
}
