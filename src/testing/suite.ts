/** Tests as data: made here, run by whatever runs yours. `troupe/testing/vitest` and `troupe/testing/node-test` hand them over. */

export interface TestCase {
  /** A sentence. */
  readonly name: string;
  /** Rejects with what is wrong. Cases share nothing and can run in any order. */
  run(): Promise<void> | void;
}

export interface TestSuite {
  readonly name: string;
  readonly tests: readonly TestCase[];
}

export interface SuiteReport {
  readonly suite: string;
  readonly passed: readonly string[];
  readonly failed: readonly { readonly name: string; readonly error: unknown }[];
}

/** Runs one case after the other, all of them. For programs that are no test run. */
export async function runSuite({ name: suite, tests }: TestSuite): Promise<SuiteReport> {
  const passed: string[] = [];
  const failed: { name: string; error: unknown }[] = [];
  for (const { name, run } of tests) {
    try {
      await run();
      passed.push(name);
    } catch (error) {
      failed.push({ name, error });
    }
  }
  return { suite, passed, failed };
}
