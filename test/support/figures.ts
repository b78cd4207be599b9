/**
 * What suites count, for the page of guarantees. A figure is a line of JSON in the file that the environment variable TROUPE_FIGURES
 * names; without the variable nothing is written. `npm run nightly` sets it, adds up the lines of one name and keeps the sums.
 */
import { appendFileSync } from 'node:fs';
import type { TestSuite } from '../../src/testing/suite.ts';

/** Whole lines, so that processes that share the file do not mix them. Names are unique within a step of the nightly run. */
export function noteFigure(name: string, value: number): void {
  const { TROUPE_FIGURES: file } = process.env;
  if (file !== undefined && file !== '') appendFileSync(file, `${JSON.stringify({ name, value })}\n`);
}

/** The same conformance suite; each of its cases that passes counts as one. */
export function counted({ name, tests }: TestSuite): TestSuite {
  const cases = tests.map(({ name: title, run }) => ({
    name: title,
    async run() {
      await run();
      noteFigure('conformanceCases', 1);
    },
  }));
  return { name, tests: cases };
}
