/**
 * Who may end `aborted`: whoever was stopped, and what is below it. An interrupt stops the turn of its target and the children that
 * this turn waits for, and nobody else; a stop of one activation is none of a later one (S1.5, S4.1 to S4.4).
 */
import type { ActivationActor, Residency } from '../../../src/actors/residency.ts';
import type { SubagentRunEndInfo } from '../../../src/registry/event-hub.ts';
import { findResident } from '../../../src/registry/registry.ts';
import type { SimulatedProcess } from '../../../src/testing/simulation/process.ts';
import type { Checker, Simulation } from '../../../src/testing/simulation/simulation.ts';

type Stop = 'whole' | 'turn';

/** When each was asked for, in steps of the run. */
export class Scope {
  readonly #simulation: Simulation;
  /** What was asked of activations that live now. */
  readonly #stopped = new WeakMap<Residency, Set<Stop>>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** Says that the activation that lives under `id` now is asked to end (`whole`), or to stop its turn. */
  stop(process: SimulatedProcess, id: string, stop: Stop): void {
    const target = findResident(process.registry, id);
    if (target === undefined) return;
    this.#note(target, stop);
    // a start that its turn waits for is cancelled with it, and may be published in the same instant (S1.6)
    for (const child of target.children) if (!child.isOpened) this.#note(child, stop);
  }

  #note(target: Residency, stop: Stop): void {
    this.#stopped.set(target, (this.#stopped.get(target) ?? new Set()).add(stop));
  }

  readonly checker: Checker = {
    opened: (process) => {
      process.runtime.events$.subscribe((event) => {
        if (event.type === 'subagent/end' && process.isAlive) this.#judge(process, event);
      });
    },
  };

  #judge(process: SimulatedProcess, { id, stopReason, error }: SubagentRunEndInfo): void {
    if (stopReason !== 'aborted' || error !== undefined) return;
    // a runtime that is being closed stops everything
    if (!process.registry.actor.getSnapshot().hasTag('admitting')) return;
    const agent = findResident(process.registry, id);
    if (agent === undefined || hasDoneNothing(agent) || this.#isStopped(agent)) return;
    this.#simulation.say(`${id} ended aborted although nobody stopped it or anything above it (S4)`);
  }

  #isStopped(agent: Residency): boolean {
    const own = this.#stopped.get(agent);
    if (own !== undefined || agent.lostFault !== undefined) return true;
    for (let [child, parent] = [agent, agent.parent]; parent !== undefined; [child, parent] = [parent, parent.parent]) {
      const stops = this.#stopped.get(parent);
      if (stops?.has('whole') === true || (child.delivery === 'caller' && stops?.has('turn') === true) || endsByFault(parent))
        return true;
    }
    return false;
  }
}

/** It came back for a message that was then refused. */
function hasDoneNothing(agent: Residency): boolean {
  return agent.isResumed && (agent.actor as ActivationActor).getSnapshot().context.outcome === 'none';
}

/** It lost its session or could not write its turn, and takes its children with it. */
function endsByFault(agent: Residency): boolean {
  if (agent.lostFault !== undefined || agent.kind === 'attached') return true;
  const { reason } = (agent.actor as ActivationActor).getSnapshot().context;
  return reason === 'failed' || reason === 'fenced' || reason === 'overdue';
}
