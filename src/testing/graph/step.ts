/**
 * One step of a machine, pure: no action of the user's is executed, no actor is started, no timer is armed, nothing is printed.
 * What an `assign`, a guard or `enqueueActions` computes is computed, and what it throws is thrown.
 *
 * Each step has an actor scope of its own. With a scope for a whole traversal, as `@xstate/graph` has it, the second state that
 * invokes an actor with a `systemId` is refused; and without a parent a machine that uses `sendParent` cannot be walked alone.
 */
import {
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  createActor,
  createEmptyActor,
  type EventObject,
  fromTransition,
  type InspectionEvent,
} from 'xstate';
import { edgesOf, stateName } from './edges.ts';

export interface Step {
  readonly snapshot: AnyMachineSnapshot;
  /** Names, in the order in which they were taken. */
  readonly edges: readonly string[];
  /** Names of the states that were active in any microstep. */
  readonly entered: readonly string[];
  /** What the machine asked for, XState's own actions included, with resolved parameters. */
  readonly actions: readonly { readonly type: string; readonly params: unknown }[];
}

/** A chain of `always` and `raise` that is longer has no end. */
const microstepsMax = 10_000;

const nothing = fromTransition(() => undefined, undefined);

export function firstStep(machine: AnyStateMachine, input: unknown): Step {
  return record(machine, (scope) => machine.getInitialSnapshot(scope, input));
}

export function nextStep(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: EventObject): Step {
  return record(machine, (scope) => machine.transition(snapshot, event as never, scope));
}

function record(machine: AnyStateMachine, step: (scope: AnyActorScope) => AnyMachineSnapshot): Step {
  const self = createActor(nothing, { parent: createEmptyActor() });
  const edges: string[] = [];
  const entered = new Set<string>();
  const actions: { type: string; params: unknown }[] = [];
  let microsteps = 0;
  self.system.inspect((inspected: InspectionEvent) => {
    if (inspected.type !== '@xstate.microstep' || inspected.actorRef !== self) return;
    if (++microsteps > microstepsMax) throw new Error(`more than ${microstepsMax} steps follow from one event: they have no end`);
    edges.push(...namesOf(machine, inspected._transitions));
    for (const name of statesIn(inspected._transitions, inspected.snapshot as AnyMachineSnapshot)) entered.add(name);
  });
  const snapshot = step({
    self,
    system: self.system,
    id: self.id,
    sessionId: self.sessionId,
    logger: () => undefined,
    defer: () => undefined,
    emit: () => undefined,
    stopChild: () => undefined,
    actionExecutor: ({ type, params }: { type: string; params: unknown }) => actions.push({ type, params }),
  } as AnyActorScope);
  for (const name of statesIn([], snapshot)) entered.add(name);
  return { snapshot, edges, entered: [...entered], actions };
}

export function namesOf(machine: AnyStateMachine, transitions: readonly object[]): string[] {
  const edges = edgesOf(machine);
  return transitions.flatMap((transition) => edges.get(transition as never)?.name ?? []);
}

/** What a microstep shows to have been active: the sources of its edges, and where it led. */
export function statesIn(transitions: readonly { readonly source: AnyStateNode }[], snapshot: AnyMachineSnapshot): string[] {
  const sources = transitions.flatMap(({ source }) => lineOf(source));
  return [...sources, ...snapshot._nodes].filter(({ parent }) => parent !== undefined).map(stateName);
}

function lineOf(node: AnyStateNode): AnyStateNode[] {
  return node.parent === undefined ? [node] : [...lineOf(node.parent), node];
}
