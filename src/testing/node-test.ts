/** Hands a suite to the test runner of Node. */
import { describe, test } from 'node:test';
import type { TestSuite } from './suite.ts';

export interface NodeTestOptions {
  /** Bound of one case, in milliseconds. Default: none, as in `node:test`. */
  readonly timeoutMs?: number;
}

/** Call it at the top level of a test file, or inside a `describe`. */
export function registerSuite({ name, tests }: TestSuite, { timeoutMs }: NodeTestOptions = {}): void {
  const options = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  describe(name, () => {
    for (const { name: title, run } of tests) test(title, options, async () => run()).catch(() => undefined); // the runner tells
  });
}
