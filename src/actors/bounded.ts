import { SubagentError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';

/** One effect: what to do, how long it may take, and what to say when it is over. */
export interface Bounded<Value> {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly ms: number;
  /** Named in the error when the bound passes. */
  readonly name: string;
  run(): Promise<Value> | Value;
  done(value: Value): void;
  failed(error: unknown): void;
  /** Told when `run` settles after the bound had passed: what it made then is nobody's. */
  late?(value: Value): void;
}

/**
 * Runs an effect and answers exactly once, asynchronously, whether it succeeds, throws, rejects or never settles.
 *
 * It runs behind the transition that asked for it: inside one, a machine still shows the state that it is leaving.
 */
export function bounded<Value>(effect: Bounded<Value>): void {
  queueMicrotask(() => run(effect));
}

function run<Value>(effect: Bounded<Value>): void {
  let outcome: { readonly value: Value } | { readonly promise: Promise<Value> };
  try {
    outcome = toOutcome(effect.run());
  } catch (error) {
    effect.failed(error);
    return;
  }
  if ('promise' in outcome) follow(effect, outcome.promise);
  else effect.done(outcome.value);
}

/** What is given back may throw when it is asked whether it is a promise. */
function toOutcome<Value>(result: Promise<Value> | Value): { readonly value: Value } | { readonly promise: Promise<Value> } {
  return isThenable(result) ? { promise: Promise.resolve(result) } : { value: result };
}

function follow<Value>(effect: Bounded<Value>, result: Promise<Value>): void {
  let isAnswered = false;
  const cancel = effect.clock.schedule(effect.ms, () => {
    isAnswered = true;
    effect.failed(new SubagentError('TIMED_OUT', `${effect.name} did not end within ${effect.ms} ms`));
  });
  result.then(
    (value) => {
      if (isAnswered) return effect.late?.(value);
      isAnswered = true;
      cancel();
      effect.done(value);
    },
    (error: unknown) => {
      if (isAnswered) return;
      isAnswered = true;
      cancel();
      effect.failed(error);
    },
  );
}

/** Also a promise of another realm or library: hosts, drivers and providers are other people's code. */
function isThenable<Value>(value: Promise<Value> | Value): value is Promise<Value> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
