/** A test for each generated path, and one for what no path takes. */
import type { AnyStateMachine, EventObject, SnapshotFrom } from 'xstate';
import { SubagentError } from '../../errors.ts';
import type { TestSuite } from '../suite.ts';
import { coverage } from './coverage.ts';
import { edgeProblems } from './edge-problems.ts';
import { nodesOf, stateName } from './edges.ts';
import { descriptorsOf, isMatch } from './events.ts';
import { generatePaths } from './generate-paths.ts';
import type { MachinePath, PathEvent, PathOptions } from './types.ts';
import { type Performance, walkPath } from './walk-path.ts';

/** What brings each event about in the system under test, by the type of the event. */
export type EventHandlers<Machine extends AnyStateMachine, Context> = {
  readonly [Type in PathEvent<Machine>['type']]?: (
    context: Context,
    event: OfType<PathEvent<Machine>, Type>,
  ) => Promise<void> | void;
} & {
  /** For an event that has no handler of its own. */
  readonly '*'?: (context: Context, event: PathEvent<Machine>) => Promise<void> | void;
};

/** Also where either is a pattern, as `xstate.${string}`, or any string. */
type OfType<Event, Type> = Event extends { readonly type: infer Known }
  ? Type extends Known
    ? Event
    : Known extends Type
      ? Event
      : never
  : never;

export interface PathTest<Machine extends AnyStateMachine, Context> {
  /** Makes the system under test, for each path anew. */
  readonly arrange?: () => Context | Promise<Context>;
  readonly events: EventHandlers<Machine, Context>;
  /**
   * What must hold in a state, by its path (`cart.empty`) or id (`#empty`), parents too; `*` in every state. Each runs whenever the
   * machine is there, at the start and after each event, before the next.
   */
  readonly states?: Readonly<Record<string, (context: Context, snapshot: SnapshotFrom<Machine>) => Promise<void> | void>>;
  /** Runs once for each context that was made, also after a failure. */
  readonly dispose?: (context: Context) => Promise<void> | void;
}

export interface PathSuiteOptions<Machine extends AnyStateMachine, Context> extends PathOptions<Machine> {
  /** Default: `the paths of <machine id>`. */
  readonly name?: string;
  readonly test: PathTest<Machine, Context>;
  /** Edges that no path takes, by name, and why. Exact: one that a path does take, or that is gone, fails the suite. */
  readonly unreachable?: Readonly<Record<string, string>>;
}

/**
 * The paths are generated here, once, and the last test judges the paths themselves: no test depends on another. Throws
 * `INVALID_ARGUMENT` as `generatePaths` does, and if an event of a path has no handler or a handler or state can never be used.
 */
export function pathSuite<Machine extends AnyStateMachine, Context>(
  machine: Machine,
  { name = `the paths of ${machine.id}`, test, unreachable = {}, ...options }: PathSuiteOptions<Machine, Context>,
): TestSuite {
  const paths = generatePaths(machine, options as PathOptions<Machine>);
  checkHandlers(machine, paths, test);
  const performance = test as unknown as Performance;
  return {
    name,
    tests: [
      ...paths.map((path) => ({
        name: path.name,
        run: () => walkPath(performance, path as unknown as MachinePath<AnyStateMachine>),
      })),
      {
        name: `takes every edge of ${machine.id}`,
        run() {
          const problems = edgeProblems(machine, coverage(machine, paths), unreachable, options);
          if (problems.length > 0) throw new Error(problems.join('\n'));
        },
      },
    ],
  };
}

function checkHandlers<Machine extends AnyStateMachine, Context>(
  machine: Machine,
  paths: readonly MachinePath<Machine>[],
  { events, states = {} }: PathTest<Machine, Context>,
): void {
  const sent = new Set(paths.flatMap(({ steps }) => steps.map(({ event }) => (event as EventObject).type)));
  const handled = new Set(Object.keys(events));
  const unhandled = handled.has('*') ? [] : [...sent].filter((type) => !handled.has(type));
  if (unhandled.length > 0) throw refused(machine, `sends events that the test has no handler for: ${unhandled.join(', ')}`);

  const heard = descriptorsOf(machine);
  const unheard = [...handled].filter((type) => type !== '*' && !heard.some((descriptor) => isMatch(type, descriptor)));
  if (unheard.length > 0) throw refused(machine, `does not hear events that the test handles: ${unheard.join(', ')}`);

  const known = new Set(['*', ...nodesOf(machine).flatMap((node) => [stateName(node), `#${node.id}`])]);
  const unknown = Object.keys(states).filter((state) => !known.has(state));
  if (unknown.length > 0) throw refused(machine, `has no states that the test looks at: ${unknown.join(', ')}`);
}

const refused = ({ id }: AnyStateMachine, why: string) => new SubagentError('INVALID_ARGUMENT', `${id} ${why}`);
