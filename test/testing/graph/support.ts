import type { AnyStateMachine } from 'xstate';
import { createActor } from 'xstate';
import { coverage, type MachinePath, recordEdges, runSuite, type TestSuite } from '../../../src/testing/index.ts';

export const names = (paths: readonly { readonly name: string }[]) => paths.map(({ name }) => name);

export const missedBy = <Machine extends AnyStateMachine>(machine: Machine, paths: readonly MachinePath<Machine>[]) =>
  coverage(machine, paths).missed;

/** What a path claims and what a real actor does, side by side. For machines that need no answer from outside. */
export function compared<Machine extends AnyStateMachine>(machine: Machine, path: MachinePath<Machine>, input?: unknown) {
  const recorder = recordEdges(machine);
  const actor = createActor(machine, { input: input as never, inspect: recorder.inspect });
  actor.subscribe({ error: () => undefined });
  actor.start();
  for (const { event } of path.steps) actor.send(event as never);
  const { value, status, context } = actor.getSnapshot() as MachineFacts;
  const state = path.state as MachineFacts;
  return {
    claimed: {
      value: state.value,
      status: state.status,
      context: state.context,
      edges: [...path.edges],
      entered: [...path.entered].sort(),
    },
    real: { value, status, context, edges: [...recorder.edges], entered: [...recorder.entered].sort() },
  };
}

interface MachineFacts {
  readonly value: unknown;
  readonly status: string;
  readonly context: unknown;
}

/** What the call throws. */
export function errorOf(call: () => unknown): Error & { readonly code?: string } {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it threw nothing');
}

/** What the failed tests of a suite say. */
export async function messages(suite: TestSuite): Promise<string[]> {
  return (await runSuite(suite)).failed.map(({ name, error }) => `${name}: ${(error as Error).message}`);
}
