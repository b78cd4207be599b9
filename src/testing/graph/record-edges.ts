/** Counts the edges that real actors take, so that integration tests count as well as generated paths. */
import type { AnyMachineSnapshot, AnyStateMachine, InspectionEvent } from 'xstate';
import { edgeNames } from './edges.ts';
import { namesOf, statesIn } from './step.ts';
import type { TakenEdges } from './types.ts';

export interface EdgeRecorder extends TakenEdges {
  /** For `createActor(machine, { inspect })`, as often as you like. Needs no `this`. */
  readonly inspect: (inspected: InspectionEvent) => void;
  /** So far, each once, in order of first use. */
  readonly edges: readonly string[];
  readonly entered: readonly string[];
}

/**
 * Counts every actor of the system that runs this machine, the root or a child, also with other implementations (`provide`, or
 * another call of the function that makes it): what counts is the same id and the same edges.
 */
export function recordEdges(machine: AnyStateMachine): EdgeRecorder {
  const edges = new Set<string>();
  const entered = new Set<string>();
  const isSame = sameAs(machine);
  return {
    inspect(inspected) {
      if (inspected.type !== '@xstate.microstep' && inspected.type !== '@xstate.snapshot') return;
      const { logic } = inspected.actorRef as { readonly logic?: unknown };
      if (!isStateMachine(logic) || !isSame(logic)) return;
      const transitions = inspected.type === '@xstate.microstep' ? inspected._transitions : [];
      for (const name of namesOf(logic, transitions)) edges.add(name);
      for (const name of statesIn(transitions, inspected.snapshot as AnyMachineSnapshot)) entered.add(name);
    },
    get edges() {
      return [...edges];
    },
    get entered() {
      return [...entered];
    },
  };
}

function isStateMachine(logic: unknown): logic is AnyStateMachine {
  return typeof logic === 'object' && logic !== null && 'root' in logic && 'getStateNodeById' in logic;
}

function sameAs(machine: AnyStateMachine): (other: AnyStateMachine) => boolean {
  const names = edgeNames(machine).join('\n');
  const answers = new WeakMap<AnyStateMachine, boolean>();
  return (other) => {
    const answer = answers.get(other) ?? (other.id === machine.id && edgeNames(other).join('\n') === names);
    answers.set(other, answer);
    return answer;
  };
}
