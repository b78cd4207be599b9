/** The edges of a chart, read from the machine itself, and which of them a run takes. */
import { type AnyActorRef, type AnyMachineSnapshot, type AnyStateMachine, createActor, type EventObject } from 'xstate';

/** One transition object of the machine: what a coverage figure counts. */
export interface Edge {
  /** Unique in its machine: source, event, guard, target, actions and, among equals, a number. */
  readonly name: string;
  readonly eventType: string;
}

interface Transition {
  readonly source: { readonly id: string };
  readonly target?: readonly { readonly id: string }[] | undefined;
  readonly eventType: string;
  readonly guard?: unknown;
  readonly actions: readonly unknown[];
}

interface Node {
  readonly transitions: ReadonlyMap<string, readonly Transition[]>;
  readonly always?: readonly Transition[];
  readonly states: Readonly<Record<string, Node>>;
}

const namesOf = new WeakMap<AnyStateMachine, Map<unknown, Edge>>();

/** Every transition object of the chart, `always` included, in the order of the file. */
export function edgesOf(machine: AnyStateMachine): Map<unknown, Edge> {
  const known = namesOf.get(machine);
  if (known) return known;
  const edges = new Map<unknown, Edge>();
  const used = new Map<string, number>();
  const visit = (node: Node) => {
    for (const transition of [...[...node.transitions.values()].flat(), ...(node.always ?? [])]) {
      const name = describe(transition);
      const count = (used.get(name) ?? 0) + 1;
      used.set(name, count);
      edges.set(transition, { name: count === 1 ? name : `${name} #${count}`, eventType: transition.eventType || 'always' });
    }
    for (const child of Object.values(node.states)) visit(child);
  };
  visit(machine.root as unknown as Node);
  namesOf.set(machine, edges);
  return edges;
}

export function edgeNames(machine: AnyStateMachine): string[] {
  return [...edgesOf(machine).values()].map(({ name }) => name);
}

function describe({ source, target, eventType, guard, actions }: Transition): string {
  const condition = guard ? ` [${nameOf(guard)}]` : '';
  const effects = actions.length > 0 ? ` / ${actions.map(nameOf).join(', ')}` : '';
  const goal = target ? target.map(({ id }) => id.replace(/^activation\./, '')).join(' + ') : '(stays)';
  return `${source.id}: ${eventType || 'always'}${condition}${effects} -> ${goal}`;
}

function nameOf(part: unknown): string {
  if (typeof part === 'string') return part;
  return (part as { readonly type?: string }).type ?? 'inline';
}

/** The names of the edges that the events take, in order of first use, and where they lead. */
export function replay(machine: AnyStateMachine, input: unknown, events: readonly EventObject[]) {
  const taken = new Set<string>();
  const edges = edgesOf(machine);
  const actor: AnyActorRef = createActor(machine, {
    input,
    inspect(inspected) {
      if (inspected.type !== '@xstate.microstep' || inspected.actorRef !== actor) return;
      for (const transition of inspected._transitions) {
        const edge = edges.get(transition);
        if (edge) taken.add(edge.name);
      }
    },
  });
  actor.subscribe({ error: () => undefined });
  actor.start();
  for (const event of events) actor.send(event);
  const snapshot = actor.getSnapshot() as AnyMachineSnapshot;
  if (snapshot.status === 'active') actor.stop();
  return { taken, snapshot };
}
