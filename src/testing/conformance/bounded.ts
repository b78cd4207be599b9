import { systemClock } from '../../ports/clock.ts';

/** What `work` gives. Rejects, naming `what`, when it has not settled after `ms` milliseconds of real time; it is then left to itself. */
export function bounded<Value>(work: Promise<Value>, ms: number, what: string): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const cancel = systemClock.schedule(ms, () => reject(new Error(`${what} had not ended after ${ms} ms`)));
  work.then(resolve, reject);
  return promise.finally(cancel);
}
