/** One run: the deeds of the people outside, which go on when a process dies and is started again, and the account of them. */
import type { HostProgram, SimulatedHost } from '../../../src/testing/simulation/host.ts';
import type { SimulatedProcess } from '../../../src/testing/simulation/process.ts';
import { recordedSessions } from '../../../src/testing/simulation/recorded.ts';
import type { Checker, Simulation } from '../../../src/testing/simulation/simulation.ts';
import { accountProblems } from './account.ts';
import { Deeds } from './deeds.ts';
import { discardProblems } from './discards.ts';
import { Ledger } from './ledger.ts';
import { openHost, type Watch } from './open-host.ts';
import { Runs } from './runs.ts';
import { Scope } from './scope.ts';
import { Status } from './status.ts';
import { tidyUp } from './tidy-up.ts';
import { Turns } from './turns.ts';

export interface PlayOptions {
  /** How many deeds there are, at most. Default: the seed says. */
  readonly deeds?: number | undefined;
  /** Numbers of deeds that are left out. */
  readonly skip?: ReadonlySet<number> | undefined;
}

export class Play {
  readonly ledger = new Ledger();
  readonly #options: PlayOptions;
  readonly #done = new Map<string, number>();
  #simulation: Simulation | undefined;
  #watch: Watch | undefined;

  constructor(options: PlayOptions = {}) {
    this.#options = options;
  }

  /** Takes the run that it is played in. */
  attach(simulation: Simulation): readonly Checker[] {
    this.#simulation = simulation;
    this.ledger.now = () => simulation.schedule.now;
    const closed = new Set<SimulatedProcess>();
    const scope = new Scope(simulation);
    const status = new Status(simulation);
    const runs = new Runs(simulation);
    const turns = new Turns(simulation);
    this.#watch = { scope, status, runs, turns };
    return [
      scope.checker,
      status.checker,
      runs.checker,
      turns.checker,
      {
        closed: (process) => void closed.add(process),
        stepped: () => {
          for (const surprise of this.ledger.surprises.splice(0)) simulation.say(surprise);
        },
        ended: async () => {
          for (const { name, process, isCompound } of this.ledger.open)
            if (isCompound !== true && closed.has(process))
              simulation.say(`${name} has no end although process ${process.name} is closed`);
          if (simulation.violations.length > 0) return;
          const sessions = await recordedSessions(simulation);
          for (const problem of accountProblems(this.ledger, sessions)) simulation.say(problem);
          for (const problem of discardProblems(this.ledger, sessions)) simulation.say(problem);
        },
      },
    ];
  }

  readonly program: HostProgram = async (host) => {
    const simulation = this.#simulation;
    if (simulation === undefined || this.#watch === undefined) throw new Error('the play is in no run');
    const opened = await openHost(simulation, host, processOf(simulation, host), this.ledger, this.#watch);
    const deeds = new Deeds(opened);
    for (let number = this.#next(host.name); number < this.#count(simulation, host.name); number = this.#next(host.name)) {
      this.#done.set(host.name, number + 1);
      if (this.#options.skip?.has(number) === true) continue;
      if (host.isHealed) break;
      deeds.doOne(simulation.random.stream(`deed ${host.name} ${number}`));
      await deeds.pause();
    }
    await host.untilHealed();
    await tidyUp(opened);
  };

  #next(name: string): number {
    return this.#done.get(name) ?? 0;
  }

  #count(simulation: Simulation, name: string): number {
    const random = simulation.random.stream(`deeds ${name}`);
    return Math.min(this.#options.deeds ?? Number.POSITIVE_INFINITY, 20 + random.below(100));
  }
}

function processOf(simulation: Simulation, host: SimulatedHost): SimulatedProcess {
  const process = simulation.processes.find(({ runtime }) => runtime === host.runtime);
  if (process === undefined) throw new Error('the host is in no process');
  return process;
}
