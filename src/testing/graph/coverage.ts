/** How much of a machine a list of runs has seen. */
import type { AnyStateMachine, EventObject, InputFrom } from 'xstate';
import { SubagentError } from '../../errors.ts';
import { edgeNames, stateNames } from './edges.ts';
import type { PathEvent, TakenEdges } from './types.ts';
import { type Place, Walker } from './walker.ts';

export interface Covered {
  readonly name: string;
  readonly isCovered: boolean;
}

export interface Coverage {
  /** The id of the machine. */
  readonly machine: string;
  /** All edges, in the order of the machine's file. */
  readonly edges: readonly Covered[];
  /** All states but the root and the history states. */
  readonly states: readonly Covered[];
  readonly taken: readonly string[];
  readonly missed: readonly string[];
  /** Of the edges, from 0 to 1. A machine without edges is covered. */
  readonly ratio: number;
}

/** Events to replay from the start, or what has been taken already: a path, a recorder, what a file kept of one. */
export type CoveredRun<Machine extends AnyStateMachine> = readonly PathEvent<Machine>[] | TakenEdges;

export interface CoverageOptions<Machine extends AnyStateMachine> {
  /** What the replayed runs start with. */
  readonly input?: InputFrom<Machine>;
}

/**
 * A replayed run ends where the machine ends; what comes after that is not sent. `INVALID_ARGUMENT` for a name that the machine
 * does not have, and if it throws.
 */
export function coverage<Machine extends AnyStateMachine>(
  machine: Machine,
  runs: readonly CoveredRun<Machine>[],
  { input }: CoverageOptions<Machine> = {},
): Coverage {
  const taken = new Set<string>();
  const entered = new Set<string>();
  for (const run of runs) {
    const seen = 'edges' in run ? run : replay(machine, run as readonly EventObject[], input);
    for (const name of seen.edges) taken.add(name);
    for (const name of seen.entered ?? []) entered.add(name);
  }
  const edges = covered(machine, 'edge', edgeNames(machine), taken);
  const names = (isCovered: boolean) => edges.filter((edge) => edge.isCovered === isCovered).map(({ name }) => name);
  return {
    machine: machine.id,
    edges,
    states: covered(machine, 'state', stateNames(machine), entered),
    taken: names(true),
    missed: names(false),
    ratio: edges.length === 0 ? 1 : names(true).length / edges.length,
  };
}

function covered({ id }: AnyStateMachine, kind: string, names: readonly string[], seen: ReadonlySet<string>): Covered[] {
  const unknown = [...seen].filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new SubagentError('INVALID_ARGUMENT', `${id} has no ${kind} ${unknown.map((name) => `"${name}"`).join(', ')}`);
  return names.map((name) => ({ name, isCovered: seen.has(name) }));
}

function replay(machine: AnyStateMachine, events: readonly EventObject[], input: unknown): TakenEdges {
  const walker = new Walker(machine, { input, statesMax: events.length + 1, stateKey: () => '' });
  const places: Place[] = [walker.start];
  for (const event of events) {
    const at = places.at(-1) ?? walker.start;
    if (walker.isOver(at)) break;
    places.push(walker.next(at, event));
  }
  return { edges: places.flatMap(({ edges }) => edges), entered: places.flatMap(({ entered }) => entered) };
}
