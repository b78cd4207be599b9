/**
 * Nothing lasts longer than its bound: a start, the stop of a turn, a write, a disposal, a notice. And no bound is armed any more when
 * a runtime is closed, but for those of starts that were given up and go on (S2.6, S4.1, R6, R10, R16).
 */
import type { ActivationActor, Residency } from '../../../actors/residency.ts';
import { defaultLimits, type Limits } from '../../../agents/limits.ts';
import type { RuntimeOptions } from '../../../registry/create-runtime.ts';
import type { SimulatedProcess } from '../process.ts';
import type { Checker, Simulation } from '../simulation.ts';

/** The states of an activation that end by themselves, whatever store, driver and provider do. */
const bounded: readonly (readonly [state: string, bound: keyof Limits])[] = [
  ['materializing.opening', 'materializeMs'],
  ['materializing.aborting', 'disposeMs'],
  ['resident.running.interrupting', 'turnStopMs'],
  ['resident.settled', 'appendMs'],
  ['releasing.stopping', 'turnStopMs'],
  ['releasing.flushing', 'appendMs'],
  ['releasing.capturing', 'disposeMs'],
  ['releasing.disposing', 'disposeMs'],
  ['releasing.notifying', 'notifyMs'],
];

interface Stay {
  readonly state: string;
  readonly since: number;
  readonly ms: number;
}

export function boundsChecker(simulation: Simulation, { limits }: Pick<RuntimeOptions, 'limits'>): Checker {
  const bounds = { ...defaultLimits, ...limits };
  const known = new WeakSet<Residency>();
  const stays = new Map<SimulatedProcess, Map<Residency, Stay>>();
  /** Until when the bounds of starts that were given up may run, in milliseconds of the run. */
  const givenUp = new Map<SimulatedProcess, number[]>();
  let looked = 0;

  function follow(process: SimulatedProcess, residency: Residency, stay: Map<Residency, Stay>): void {
    const note = (value: unknown) => {
      const path = pathOf(value);
      const found = bounded.find(([state]) => path === state || path.startsWith(`${state}.`));
      if (found === undefined) leave(process, residency, stay);
      else if (stay.get(residency)?.state !== found[0])
        stay.set(residency, { state: found[0], since: simulation.schedule.now, ms: bounds[found[1]] });
    };
    const actor = residency.actor as ActivationActor;
    note(actor.getSnapshot().value);
    actor.subscribe({ next: ({ value }) => note(value), complete: () => leave(process, residency, stay) });
  }

  function leave(process: SimulatedProcess, residency: Residency, stay: Map<Residency, Stay>): void {
    const last = stay.get(residency);
    stay.delete(residency);
    const { now } = simulation.schedule;
    if (last?.state !== 'materializing.aborting' || now - last.since < last.ms - 1) return;
    givenUp.set(process, [...(givenUp.get(process) ?? []), now + bounds.materializeMs]);
  }

  function judge({ name, isFrozen, thawedAt }: SimulatedProcess, stay: Map<Residency, Stay>): void {
    if (isFrozen) return;
    const { now } = simulation.schedule;
    for (const [residency, { state, since, ms }] of stay) {
      const lasted = Math.floor(now - Math.max(since, thawedAt));
      if (lasted <= ms) continue;
      stay.delete(residency);
      simulation.say(`${residency.childId} in process ${name} is ${state} for ${lasted} ms, and may be for ${ms} (S2.6)`);
    }
  }

  return {
    opened: (process) => void stays.set(process, new Map()),
    died: (process) => void stays.delete(process),
    closed(process) {
      const excused = (givenUp.get(process) ?? []).filter((until) => until > simulation.schedule.now).length;
      const left = process.pendingTimers - excused;
      if (left > 0) simulation.say(`process ${process.name} is closed and ${left} timers are set (R16)`);
    },
    stepped() {
      for (const [process, stay] of stays) {
        for (const residency of process.registry.residents.values()) {
          if (known.has(residency) || residency.kind === 'attached') continue;
          known.add(residency);
          follow(process, residency, stay);
        }
      }
      if (simulation.schedule.now === looked) return; // only timers move time
      looked = simulation.schedule.now;
      for (const [process, stay] of stays) judge(process, stay);
    },
  };
}

function pathOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const [[name, below] = ['', '']] = Object.entries(value);
  return `${name}.${pathOf(below)}`;
}
