/** The crash suites kill and freeze real processes, hundreds of times: too slow for each `npm test`. `npm run test:crash` runs them. */
import { defineConfig } from 'vitest/config';
import suite from './vitest.config.ts';

export default defineConfig({
  test: {
    ...suite.test,
    include: ['test/crash/**/*.test.ts'],
    exclude: [],
    testTimeout: 60_000,
    fileParallelism: false,
  },
});
