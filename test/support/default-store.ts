/** Which store a world has that names none. A test file that runs others on another store says so before it imports them. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SessionStore } from '../../src/sessions/store.ts';
import { memoryStore } from '../../src/sessions/stores/memory.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import type { ManualClock } from './manual-clock.ts';

let isOnSqlite = false;

export function useSqlite(): void {
  isOnSqlite = true;
}

export function defaultStore(clock: ManualClock): SessionStore {
  if (!isOnSqlite) return memoryStore({ clock });
  const folder = quickFolder();
  const store = sqliteStore({ path: join(folder, 'sessions.db'), clock });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
}

/** In memory where the system has such a place: these tests prove no durability, and open many databases. */
function quickFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'troupe-'));
}

/** Rounds of the event loop until everything under way has come to rest: commits of a database each take a few. */
export function restingRounds(): number {
  return isOnSqlite ? 12 : 1;
}
