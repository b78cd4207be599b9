/** The edges and states of a machine by name, read from the machine itself. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { nameAction, nameGuard } from './part-names.ts';

/** One transition object of the machine: what a coverage figure counts. */
export interface Edge {
  /** Unique in its machine: source, event, guard, actions, target and, among equals, a number. */
  readonly name: string;
  /** `always` for one that needs no event. */
  readonly eventType: string;
}

const edgesByMachine = new WeakMap<AnyStateMachine, ReadonlyMap<AnyTransitionDefinition, Edge>>();

/** Every transition object, `always`, `after` and `onDone` included, in the order of the file. */
export function edgesOf(machine: AnyStateMachine): ReadonlyMap<AnyTransitionDefinition, Edge> {
  const known = edgesByMachine.get(machine);
  if (known) return known;
  const edges = new Map<AnyTransitionDefinition, Edge>();
  const used = new Map<string, number>();
  for (const node of nodesOf(machine)) {
    for (const transition of [...node.transitions.values()].flat().concat(node.always ?? [])) {
      const name = describe(transition);
      const count = (used.get(name) ?? 0) + 1;
      used.set(name, count);
      edges.set(transition, { name: count === 1 ? name : `${name} #${count}`, eventType: transition.eventType || 'always' });
    }
  }
  edgesByMachine.set(machine, edges);
  return edges;
}

/** In the order of the file. Equal machines have equal names, also when each was given its own implementations. */
export function edgeNames(machine: AnyStateMachine): string[] {
  return [...edgesOf(machine).values()].map(({ name }) => name);
}

/** The names of all states that can be entered, parents before their children, without the root. */
export function stateNames(machine: AnyStateMachine): string[] {
  return nodesOf(machine)
    .filter(({ type, parent }) => type !== 'history' && parent !== undefined)
    .map(stateName);
}

/** The path of its keys, as `snapshot.matches` would spell it: `cart.empty`. The root has the machine's id. */
export function stateName({ path, machine }: AnyStateNode): string {
  return path.length === 0 ? machine.id : path.join('.');
}

/** Parents before their children, in the order of the file. */
export function nodesOf({ root }: AnyStateMachine): AnyStateNode[] {
  const below = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(below)];
  return below(root);
}

function describe({ source, target, eventType, guard, actions }: AnyTransitionDefinition): string {
  const condition = guard === undefined ? '' : ` [${nameGuard(guard)}]`;
  const effects = actions.length > 0 ? ` / ${actions.map(nameAction).join(', ')}` : '';
  const goal = target ? target.map(stateName).join(' + ') : '(stays)';
  return `${stateName(source)}: ${eventType || 'always'}${condition}${effects} -> ${goal}`;
}
