/** What a set of paths leaves open, as lines for a person. */
import type { AnyStateMachine } from 'xstate';
import type { Coverage } from './coverage.ts';
import { edgesOf } from './edges.ts';
import { isWildcard } from './events.ts';

interface Rules {
  readonly includesActorsAndTimers?: boolean;
}

/** Edges that no path takes and nobody has explained, and explanations that are no longer true. */
export function edgeProblems(
  machine: AnyStateMachine,
  { taken, missed, edges }: Coverage,
  unreachable: Readonly<Record<string, string>>,
  rules: Rules,
): string[] {
  const listed = Object.keys(unreachable);
  const unexplained = missed.filter((edge) => !listed.includes(edge));
  return [
    ...section(
      `no path of ${machine.id} takes ${unexplained.length} of ${edges.length} edges:`,
      unexplained.map((edge) => `${edge}${hint(machine, edge, rules)}`),
    ),
    ...section(
      'listed as unreachable, but a path takes:',
      taken.filter((edge) => listed.includes(edge)),
    ),
    ...section(
      `listed as unreachable, but no edge of ${machine.id}:`,
      listed.filter((edge) => !edges.some(({ name }) => name === edge)),
    ),
    ...section(
      'listed as unreachable without a reason:',
      listed.filter((edge) => unreachable[edge]?.trim() === ''),
    ),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

function hint(machine: AnyStateMachine, edge: string, { includesActorsAndTimers }: Rules): string {
  const type = [...edgesOf(machine).values()].find(({ name }) => name === edge)?.eventType ?? '';
  if (isWildcard(type)) return ' (give an event that it matches in `events`)';
  const comesByItself = /^xstate\.(after|done\.actor|error\.actor|snapshot)\./.test(type);
  return comesByItself && !includesActorsAndTimers ? ' (set `includesActorsAndTimers`, or give the event in `events`)' : '';
}
