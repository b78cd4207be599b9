/**
 * Sums the vitest JSON reports of a folder and prints one line, `N passed, N failed`. Fails when anything failed.
 * Arguments: the folder, then the names of the failed steps. A step that failed without a failed test counts as one failure,
 * and so does a test file that could not run or that let an error escape.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [folder, ...failedSteps] = process.argv.slice(2);
const totals = { passed: 0, failed: 0, skipped: 0 };
const suitesWithFailures = new Set();

for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
  const report = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((result) => result.status === 'failed'),
  );
  const failed = report.numFailedTests + brokenFiles.length;
  totals.passed += report.numPassedTests;
  totals.failed += failed;
  totals.skipped += report.numPendingTests + report.numTodoTests;
  if (failed > 0) suitesWithFailures.add(basename(name, '.json'));
}

const otherSteps = failedSteps.filter((step) => !suitesWithFailures.has(step));
totals.failed += otherSteps.length;
if (failedSteps.length > 0) console.log(`failed steps: ${failedSteps.join(', ')}`);
if (totals.passed === 0) console.log('no test passed');

const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exitCode = totals.failed === 0 && totals.passed > 0 ? 0 : 1;
