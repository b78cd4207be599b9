/** Runs one seed to its end: first everything may go wrong and nothing bad may happen; then nothing goes wrong, and all must end. */
import type { RuntimeOptions } from '../../registry/create-runtime.ts';
import { defaultLeaseMs } from '../../sessions/stores/lease.ts';
import type { RecordedSession } from '../trace/trace.ts';
import { boundsChecker } from './checkers/bounds.ts';
import { durabilityChecker } from './checkers/durability.ts';
import { leasesChecker } from './checkers/leases.ts';
import { livesChecker } from './checkers/lives.ts';
import { placesChecker } from './checkers/places.ts';
import { tracesChecker } from './checkers/traces.ts';
import { chooseFaults, type FaultKind, faultKinds } from './faults.ts';
import { HostKeeper, type HostProgram } from './host.ts';
import { Random } from './random.ts';
import { recordedSessions } from './recorded.ts';
import { type Checker, Simulation } from './simulation.ts';

export interface RunOptions {
  readonly program: HostProgram;
  readonly seed: number;
  /** Kinds of faults that a run may have; each seed has some of them. Default: all. */
  readonly faults?: readonly FaultKind[];
  /** Kinds that this run has not, although its seed would have them. */
  readonly without?: readonly FaultKind[];
  readonly runtime?: Pick<RuntimeOptions, 'limits' | 'capacity' | 'presets'>;
  /** Processes that run the program on the same store. With 2, the fault kind `second-host` says in which runs. Default 1. */
  readonly hosts?: 1 | 2;
  /** How long a claim holds without renewal, in milliseconds. Default 30,000. */
  readonly leaseMs?: number;
  /** Steps after which nothing goes wrong any more. Default 4,000. */
  readonly stormSteps?: number;
  /** Steps after that in which all must have come to its end. Default 200,000. */
  readonly healSteps?: number;
  /**
   * Whether everything has settled when the program has resolved in the calm: no mail waits, no turn is open, and every end is
   * written and told. Default true. What holds at every moment is checked in any case.
   */
  readonly settles?: boolean;
  /** Judges the logs of all sessions when the run has come to its end; returns what is wrong with them. */
  readonly judge?: (sessions: readonly RecordedSession[]) => readonly string[];
  /** @internal Checks beside ours, made anew for each run. */
  readonly checkers?: (simulation: Simulation) => readonly Checker[];
}

export interface RunReport {
  readonly seed: number;
  readonly steps: number;
  /** Of simulated time, in milliseconds. */
  readonly ms: number;
  /** The same for the same seed, options and program. */
  readonly digest: string;
  readonly faults: readonly FaultKind[];
  /** How often each kind struck. */
  readonly struck: Readonly<Partial<Record<FaultKind, number>>>;
  /** What was wrong; empty if nothing was. */
  readonly violations: readonly string[];
}

/** Steps in a row in which only background timers went off. */
const idleStepsMax = 100;

export async function runSeed(options: RunOptions): Promise<RunReport> {
  const { program, seed, faults = faultKinds, without = [], leaseMs = defaultLeaseMs, hosts = 1 } = options;
  const random = new Random(seed);
  const kinds = chooseFaults(random.stream('kinds'), faults).filter(
    (kind) => !without.includes(kind) && (hosts === 2 || kind !== 'second-host'),
  );
  const simulation = new Simulation({
    ...{ random, leaseMs, faults: kinds, runtime: options.runtime ?? {} },
    order: random.stream('order').chance(0.5) ? 'priority' : 'random',
  });
  simulation.checkers.push(...standardCheckers(simulation, options), ...(options.checkers?.(simulation) ?? []));
  const names = kinds.includes('second-host') ? ['a', 'b'] : ['a'];
  const keepers = names.map((name) => new HostKeeper(simulation, name, program, leaseMs + 1));
  disturb(simulation, keepers);
  await weather(simulation, keepers, options);
  for (const checker of simulation.checkers) await checker.ended?.(simulation);
  return {
    ...{ seed, steps: simulation.schedule.steps, ms: simulation.schedule.now, faults: kinds },
    digest: simulation.digest.end(),
    struck: Object.fromEntries(simulation.faults.struck),
    violations: simulation.violations,
  };
}

function standardCheckers(
  simulation: Simulation,
  { runtime = {}, leaseMs = defaultLeaseMs, settles = true, judge }: RunOptions,
): Checker[] {
  return [
    livesChecker(simulation),
    placesChecker(simulation, runtime),
    boundsChecker(simulation, runtime),
    leasesChecker(simulation, leaseMs),
    durabilityChecker(simulation),
    tracesChecker(simulation, settles),
    {
      async ended() {
        if (judge === undefined || simulation.violations.length > 0) return;
        for (const problem of judge(await recordedSessions(simulation))) simulation.say(problem);
      },
    },
  ];
}

/** The storm and the calm after it. Ends early at the first violation. */
async function weather(simulation: Simulation, keepers: readonly HostKeeper[], options: RunOptions): Promise<void> {
  const { stormSteps = 4_000, healSteps = 200_000 } = options;
  const isOver = () => simulation.violations.length > 0 || keepers.every(({ isDone }) => isDone);
  const isCalm = () => keepers.every(({ isDone, isCalm: waits }) => isDone || waits);
  let idle = 0;
  while (!isOver() && !isCalm() && simulation.schedule.steps < stormSteps && idle <= idleStepsMax) {
    idle = (await simulation.step()) === 'done' ? 0 : idle + 1;
  }
  simulation.heal();
  const last = simulation.schedule.steps + healSteps;
  for (idle = 0; !isOver(); ) {
    const outcome = await simulation.step();
    idle = outcome === 'done' ? 0 : idle + 1;
    if (outcome === 'over' || idle > idleStepsMax) return simulation.say(`nothing goes on: ${standing(keepers)}`);
    if (simulation.schedule.steps > last) return simulation.say(`no end within ${healSteps} steps: ${standing(keepers)}`);
  }
}

function standing(keepers: readonly HostKeeper[]): string {
  const waiting = keepers.filter(({ isDone }) => !isDone);
  const agents = waiting.flatMap(({ process }) =>
    [...(process?.registry.residents.values() ?? [])].map(
      ({ id, agent, actor }) => `${agent.label} ${id} is ${JSON.stringify(actor.getSnapshot().value)}`,
    ),
  );
  return `${waiting.length} of ${keepers.length} programs wait${agents.length > 0 ? `; ${agents.join('; ')}` : ''}`;
}

/** Sets the clock on the wall, and lets a host stand still, from time to time. */
function disturb(simulation: Simulation, keepers: readonly HostKeeper[]): void {
  const { faults, schedule } = simulation;
  const again = () => {
    if (!faults.isOn) return;
    if (faults.strikes('clock-jump', 0.2)) simulation.jump();
    const host = faults.chanceOf('second-host').pick(keepers).process;
    if (host !== undefined && faults.strikes('second-host', 0.2)) {
      simulation.freeze(host, faults.chanceOf('second-host').next() * 90_000);
    }
    schedule.after(5_000, 'weather', again, { isBackground: true });
  };
  schedule.after(1_000, 'weather', again, { isBackground: true });
}
