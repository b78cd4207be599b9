/** Plants one fault in a machine: a copy of its definition and implementations, changed in one place. */
import { type AnyStateMachine, createMachine } from 'xstate';

export interface Transition {
  guard?: string;
  target?: string;
  reenter?: boolean;
  actions?: string | string[];
}

export interface Node {
  entry?: string | string[];
  exit?: string | string[];
  on?: Record<string, unknown>;
  always?: unknown;
  states?: Record<string, Node>;
  context?: unknown;
}

type Implementation = (given: never) => unknown;

export interface Draft {
  readonly root: Node;
  readonly guards: Record<string, Implementation>;
  readonly actions: Record<string, unknown>;
  /** The node at a path of state names. */
  at(path: string): Node;
  /** The transitions of a node for an event or `always`, as a list that can be changed in place. */
  on(path: string, event: string): Transition[];
}

export type Fault = (draft: Draft) => void;

export function mutate(machine: AnyStateMachine, fault: Fault): AnyStateMachine {
  const { actions, guards, actors, delays } = machine.implementations as unknown as Record<string, Record<string, never>>;
  const root = copy(machine.config) as Node;
  const draft: Draft = { root, guards: { ...guards }, actions: { ...actions }, at, on };

  function at(path: string): Node {
    let node = root;
    for (const name of path === '' ? [] : path.split('.')) {
      const child = node.states?.[name];
      if (child === undefined) throw new Error(`the machine has no state ${path}`);
      node = child;
    }
    return node;
  }

  function on(path: string, event: string): Transition[] {
    const node = at(path);
    const given = event === 'always' ? node.always : node.on?.[event];
    if (given === undefined) throw new Error(`${path} does not hear ${event}`);
    const list = (Array.isArray(given) ? given : [given]).map((one: unknown) =>
      typeof one === 'string' ? { target: one } : one,
    );
    if (event === 'always') node.always = list;
    else node.on = { ...node.on, [event]: list };
    return list as Transition[];
  }

  fault(draft);
  return createMachine(draft.root as never, { actions: draft.actions, guards: draft.guards, actors, delays } as never);
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copy(part)]));
}
