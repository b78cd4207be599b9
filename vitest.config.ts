import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/model/**', 'test/consumer/**', 'test/crash/**'],
    setupFiles: ['test/support/trap.ts'],
    pool: 'forks',
    retry: 0,
    dangerouslyIgnoreUnhandledErrors: false,
    sequence: { shuffle: false },
  },
});
