/** Walks one path with the system under test. */
import { AssertionError } from 'node:assert/strict';
import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import { stateName } from './edges.ts';
import { nameEvent, namePath } from './part-names.ts';
import { placeName } from './state-key.ts';
import type { MachinePath, PathStep } from './types.ts';

type Result = Promise<void> | void;

/** A user's test without its types. */
export interface Performance {
  readonly arrange?: () => unknown;
  readonly events: Readonly<Record<string, (context: unknown, event: EventObject) => Result>>;
  readonly states?: Readonly<Record<string, (context: unknown, snapshot: AnyMachineSnapshot) => Result>>;
  readonly dispose?: (context: unknown) => Result;
}

type Path = MachinePath<AnyStateMachine>;
type Step = PathStep<AnyStateMachine>;

/** Rejects with what the test threw, told with state, edge and path. What `dispose` throws counts if nothing else did. */
export async function walkPath(test: Performance, path: Path): Promise<void> {
  const context = await test.arrange?.();
  const failures: unknown[] = [];
  try {
    await perform(test, context, path);
  } catch (error) {
    failures.push(error);
  }
  try {
    await test.dispose?.(context);
  } catch (error) {
    failures.push(error);
  }
  if (failures.length > 0) throw failures[0];
}

async function perform(test: Performance, context: unknown, path: Path): Promise<void> {
  await look(test, context, path, undefined);
  for (const [index, step] of path.steps.entries()) {
    const { event } = step;
    const handle = test.events[event.type] ?? test.events['*'];
    const before = placeName((path.steps[index - 1]?.snapshot ?? path.start) as AnyMachineSnapshot);
    const name = nameEvent(event);
    await told(`event ${name} in state "${before}"`, path, step, async () => handle?.(context, event as EventObject));
    await look(test, context, path, step);
  }
}

async function look({ states = {} }: Performance, context: unknown, path: Path, step: Step | undefined): Promise<void> {
  const snapshot = (step?.snapshot ?? path.start) as AnyMachineSnapshot;
  const names = new Set(['*', ...snapshot._nodes.flatMap((node) => [stateName(node), `#${node.id}`])]);
  for (const [state, check] of Object.entries(states)) {
    if (!names.has(state)) continue;
    const where = state === '*' ? placeName(snapshot) : state;
    await told(`state "${where}"`, path, step, async () => check(context, snapshot));
  }
}

async function told(what: string, path: Path, step: Step | undefined, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (cause) {
    const count = step === undefined ? 0 : path.steps.indexOf(step) + 1;
    const where = namePath(path.steps.slice(0, count).map(({ event }) => event as EventObject));
    const edges = (step?.edges ?? []).map((edge) => `\n  taking ${edge}`).join('');
    const why = (cause instanceof Error ? cause.message : String(cause)).trim();
    // with both values, so that a test runner shows the difference
    const { actual, expected } = Object(cause) as { readonly actual?: unknown; readonly expected?: unknown };
    throw Object.assign(new AssertionError({ message: `${what}: ${why}\n  on the path ${where}${edges}`, actual, expected }), {
      cause,
    });
  }
}
