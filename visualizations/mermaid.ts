/** Draws a machine as a Mermaid state diagram. Transitions that stay where they are become notes: Mermaid has no inner edges. */
import type { AnyStateMachine } from 'xstate';

interface Transition {
  readonly target?: readonly Node[] | undefined;
  readonly eventType: string;
  readonly guard?: unknown;
  readonly actions: readonly unknown[];
}

interface Node {
  readonly id: string;
  readonly key: string;
  readonly type: string;
  readonly path: readonly string[];
  readonly parent?: Node;
  readonly entry: readonly unknown[];
  readonly exit: readonly unknown[];
  readonly transitions: ReadonlyMap<string, readonly Transition[]>;
  readonly always?: readonly Transition[];
  readonly initial: { readonly target?: readonly Node[] };
  readonly states: Readonly<Record<string, Node>>;
}

/** `whole` shows every part by name; `brief` shows which event leads where, for a page that is read. */
export type Detail = 'whole' | 'brief';

export function toMermaid(machine: AnyStateMachine, detail: Detail = 'whole'): string {
  const root = machine.root as unknown as Node;
  const notes = detail === 'whole' ? noteLines(root) : [];
  return ['stateDiagram-v2', ...stateLines(root, 1), ...edgeLines(root, detail), ...notes].join('\n');
}

function stateLines(node: Node, depth: number): string[] {
  const indent = '  '.repeat(depth);
  const children = Object.values(node.states);
  const [initial] = node.initial?.target ?? [];
  const inside = [
    ...(initial ? [`[*] --> ${idOf(initial)}`] : []),
    ...children.flatMap((child) => (Object.keys(child.states).length > 0 ? nested(child, depth) : leaf(child))),
  ];
  return inside.map((line) => `${indent}${line}`);
}

function nested(node: Node, depth: number): string[] {
  const inner = stateLines(node, depth + 1).map((line) => line.slice(2 * depth));
  return [`state "${node.key}" as ${idOf(node)} {`, ...inner, '}'];
}

function leaf(node: Node): string[] {
  return [`state "${node.key}" as ${idOf(node)}`, ...(node.type === 'final' ? [`${idOf(node)} --> [*]`] : [])];
}

function edgeLines(root: Node, detail: Detail): string[] {
  const labels = new Map<string, Set<string>>();
  for (const node of nodesOf(root)) {
    for (const transition of transitionsOf(node)) {
      for (const target of transition.target ?? []) {
        const arrow = `${idOf(node)} --> ${idOf(target)}`;
        labels.set(arrow, (labels.get(arrow) ?? new Set()).add(labelOf(transition, detail)));
      }
    }
  }
  return [...labels].map(([arrow, lines]) => `  ${arrow}: ${[...lines].join('<br/>')}`);
}

function noteLines(root: Node): string[] {
  return nodesOf(root).flatMap((node) => {
    const lines = [
      ...effects('entry', node.entry),
      ...effects('exit', node.exit),
      ...transitionsOf(node)
        .filter(({ target }) => target === undefined)
        .map((transition) => labelOf(transition, 'whole')),
    ];
    if (lines.length === 0) return [];
    // the root has no box of its own
    const place = node.parent ? idOf(node) : idOf(node.initial.target?.[0] ?? node);
    const title = node.parent ? [] : ['in every state:'];
    return [`  note right of ${place}`, ...[...title, ...lines].map((line) => `    ${line}`), '  end note'];
  });
}

function effects(when: 'entry' | 'exit', actions: readonly unknown[]): string[] {
  return actions.length > 0 ? [`${when} / ${actions.map(nameOf).join(', ')}`] : [];
}

function labelOf({ eventType, guard, actions }: Transition, detail: Detail): string {
  const condition = guard ? ` [${nameOf(guard)}]` : '';
  const effect = actions.length > 0 && detail === 'whole' ? ` / ${actions.map(nameOf).join(', ')}` : '';
  return `${eventNameOf(eventType)}${condition}${effect}`;
}

/** Shorter, and without what Mermaid would read as its own syntax. */
function eventNameOf(eventType: string): string {
  if (eventType === '') return 'always';
  return eventType.replace(/^xstate\.(done|error)\.actor\.(\w+)$/, '$2 $1').replaceAll(/[:;#{}]/g, ' ');
}

function nameOf(part: unknown): string {
  if (typeof part === 'string') return part;
  return (part as { readonly type?: string }).type ?? 'inline';
}

function idOf(node: Node): string {
  return node.path.length > 0 ? node.path.join('_') : node.key;
}

function nodesOf(node: Node): Node[] {
  return [node, ...Object.values(node.states).flatMap(nodesOf)];
}

function transitionsOf(node: Node): Transition[] {
  return [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
}
