/** What depends on what a store really does, once more on a database: births, cold resumes, messages and top-level agents. */
import { describe, vi } from 'vitest';
import { useSqlite } from '../support/default-store.ts';

useSqlite();
vi.setConfig({ testTimeout: 60_000 });

describe('on SQLite', async () => {
  await import('./start.test.ts');
  await import('./start-abort.test.ts');
  await import('./start-faults.test.ts');
  await import('./child-ids.test.ts');
  await import('./capacity.test.ts');
  await import('./dispose.test.ts');
  await import('./resume.test.ts');
  await import('./send.test.ts');
  await import('./send-routes.test.ts');
  await import('./top-level.test.ts');
  await import('./start-abort-late.test.ts');
  await import('./send-order.test.ts');
  await import('./external-disposal.test.ts');
});
