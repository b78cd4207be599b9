/** Hands a suite to vitest. */
import { describe, test } from 'vitest';
import type { TestSuite } from './suite.ts';

export interface VitestOptions {
  /** Bound of one case, in milliseconds. Default: vitest's. */
  readonly timeoutMs?: number;
}

/** Call it at the top level of a test file, or inside a `describe`. */
export function registerSuite({ name, tests }: TestSuite, { timeoutMs }: VitestOptions = {}): void {
  describe(name, () => {
    for (const { name: title, run } of tests) test(title, async () => run(), timeoutMs);
  });
}
