/** One end, said alike wherever it is said: by the event, by the result of the handle, and by the log (S1.4, S5.5, P05, P27). */
import { findResident } from '../../../src/registry/registry.ts';
import type { SubagentStopReason } from '../../../src/sessions/event.ts';
import type { SimulatedProcess } from '../../../src/testing/simulation/process.ts';
import { recordedSessions } from '../../../src/testing/simulation/recorded.ts';
import type { Checker, Simulation } from '../../../src/testing/simulation/simulation.ts';

interface ToldEnd {
  readonly id: string;
  readonly runId: string;
  readonly stopReason: SubagentStopReason;
}

export class Status {
  readonly #simulation: Simulation;
  readonly #ends: ToldEnd[] = [];
  /** The first end of each id in each process: that of the activation whose handle was given out. */
  readonly #first = new Map<string, ToldEnd>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** The result of the handle of a start. */
  result(process: SimulatedProcess, id: string, stopReason: SubagentStopReason): void {
    const end = this.#first.get(`${process.name} ${id}`);
    if (end === undefined) this.#simulation.say(`${id} has the result ${stopReason} and its end was not told (S1.4)`);
    else if (end.stopReason !== stopReason)
      this.#simulation.say(`${id} ended ${end.stopReason}, and its result says ${stopReason} (S1.4)`);
  }

  /** Whether the activation that was started under this id, the first, is over. */
  hasEnded(process: SimulatedProcess, id: string): boolean {
    return this.#first.has(`${process.name} ${id}`);
  }

  readonly checker: Checker = {
    opened: (process) => {
      process.runtime.events$.subscribe((event) => {
        if (event.type !== 'subagent/end' || !process.isAlive) return;
        // who lost its session has left already; of whom could not write its end nobody knows what its log holds
        if (findResident(process.registry, event.id)?.unwritten.length === 0) this.#ends.push(event);
        const key = `${process.name} ${event.id}`;
        if (!this.#first.has(key)) this.#first.set(key, event);
      });
    },
    ended: async () => {
      const written = new Map<string, SubagentStopReason>();
      for (const { header, events } of await recordedSessions(this.#simulation))
        for (const event of events.slice(header.inheritedEvents))
          if (event.type === 'activation/ended') written.set(event.data.runId, event.data.stopReason);
      for (const { id, runId, stopReason } of this.#ends) {
        const inLog = written.get(runId) ?? stopReason;
        if (inLog !== stopReason) this.#simulation.say(`${id} ended ${stopReason}, and its log says ${inLog} (P05)`);
      }
    },
  };
}
