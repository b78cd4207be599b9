/** Finds the named action or guard that threw: takes the step again with each of them watched. */
import type { AnyStateMachine } from 'xstate';

type Part = ((...given: unknown[]) => unknown) & { resolve?: (...given: unknown[]) => unknown };

/**
 * `retake` gets a stand-in for the machine: itself, but for its implementations. Undefined if nothing throws this time, or what
 * throws has no name because it is written inline.
 */
export function partThatThrows(machine: AnyStateMachine, retake: (watched: AnyStateMachine) => unknown): string | undefined {
  let culprit: string | undefined;
  const watch = (kind: string, parts: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(parts).map(([name, part]) => {
        const blame = () => {
          culprit ??= `${kind} "${name}"`;
        };
        return [name, typeof part === 'function' ? watched(part as Part, blame) : part];
      }),
    );
  const { actions, guards, ...others } = machine.implementations;
  const implementations = { ...others, actions: watch('action', actions), guards: watch('guard', guards) };
  // a machine has the method bound to itself
  const { getInitialSnapshot } = Object.getPrototypeOf(machine) as AnyStateMachine;
  const standIn = { implementations: { value: implementations }, getInitialSnapshot: { value: getInitialSnapshot } };
  try {
    retake(Object.create(machine, standIn) as AnyStateMachine);
  } catch {
    // it throws what it threw before, which the caller has
  }
  return culprit;
}

/** XState's own actions work through `resolve`, its own guards through `check`, which asks the guards that they are made of. */
function watched(part: Part, blame: () => void): Part {
  const guarded =
    (call: (...given: unknown[]) => unknown) =>
    (...given: unknown[]) => {
      try {
        return call(...given);
      } catch (error) {
        blame();
        throw error;
      }
    };
  const copy = Object.assign(guarded(part), part);
  return part.resolve === undefined ? copy : Object.assign(copy, { resolve: guarded(part.resolve) });
}
