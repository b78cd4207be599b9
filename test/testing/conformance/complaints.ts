import { runSuite, type TestSuite } from '../../../src/testing/index.ts';

/** Names and messages of all failing cases, as a reader of the report sees them. */
export async function complaintsOf(suite: TestSuite): Promise<string> {
  const { failed } = await runSuite(suite);
  return failed.map(({ name, error }) => `${name}\n  ${error instanceof Error ? error.message : String(error)}`).join('\n');
}
