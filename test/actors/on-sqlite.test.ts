/** What depends on what a store really does, once more on a database: turns, notices, seals and releases. */
import { describe, vi } from 'vitest';
import { useSqlite } from '../support/default-store.ts';

useSqlite();
vi.setConfig({ testTimeout: 60_000 });

describe('on SQLite', async () => {
  await import('./closed-inbox.test.ts');
  await import('./given-up.test.ts');
  await import('./inbox-events.test.ts');
  await import('./life.test.ts');
  await import('./notice.test.ts');
  await import('./parked.test.ts');
  await import('./release-faults.test.ts');
  await import('./settle-race.test.ts');
  await import('./end-of-tree.test.ts');
  await import('./notice-teardown.test.ts');
  await import('./notice-scenarios.test.ts');
  await import('./notice-owed.test.ts');
});
