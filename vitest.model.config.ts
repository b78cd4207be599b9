/** The model suites walk every reachable path of the machines, too slow for each `npm test`. `npm run paths` runs them. */
import { defineConfig } from 'vitest/config';
import suite from './vitest.config.ts';

export default defineConfig({
  test: {
    ...suite.test,
    include: ['test/model/**/*.test.ts'],
    exclude: [],
    testTimeout: 120_000,
    maxWorkers: 2,
    // XState's development build warns when a child that was given up reports to a parent that has left; the paths provoke it
    onConsoleLog: (log) => !log.includes('was sent to stopped actor'),
  },
});
