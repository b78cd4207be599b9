/** A SQLite store in a folder of its own that counts its commits and the time inside transactions. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionStore } from '../src/index.ts';
import { type Database, openDatabase } from '../src/sessions/stores/sqlite/database.ts';
import { openSqliteStore } from '../src/sessions/stores/sqlite/store.ts';

export interface CommitTimes {
  commits: number;
  /** From begin to the end of the commit, the sync of the disk included. */
  inTransactionUs: number;
}

export interface TimedStore extends AsyncDisposable {
  readonly store: SessionStore;
  readonly times: CommitTimes;
  /** A second store on the same file, as another process would open it. */
  reopen(): SessionStore;
}

export function openTimedStore(): TimedStore {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
  const path = join(folder, 'sessions.db');
  const times: CommitTimes = { commits: 0, inTransactionUs: 0 };
  const store = openSqliteStore({ path }, (file) => timed(openDatabase(file), times));
  return {
    store,
    times,
    reopen: () => openSqliteStore({ path }, openDatabase),
    async [Symbol.asyncDispose]() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function timed(database: Database, times: CommitTimes): Database {
  let begun: number | undefined; // the store's own transactions; opening the file has others
  return {
    prepare: (sql) => database.prepare(sql),
    close: () => database.close(),
    exec(sql) {
      if (sql === 'begin immediate') begun = performance.now();
      database.exec(sql);
      if (sql !== 'commit' || begun === undefined) return;
      times.commits++;
      times.inTransactionUs += (performance.now() - begun) * 1_000;
      begun = undefined;
    },
  };
}
