/** Session logs in one SQLite file that several processes of one machine may share. What resolved is on disk. */
import type { Clock } from '../../ports/clock.ts';
import type { SessionStore } from '../store.ts';
import { openDatabase } from './sqlite/database.ts';
import { openSqliteStore } from './sqlite/store.ts';

export interface SqliteStoreOptions {
  /** The file; made with its folders if there is none, readable by this user alone. `-wal`, `-shm` and `-mark` files lie beside it. */
  readonly path: string;
  readonly clock?: Clock;
  /** How long a claim holds without `renew`, in milliseconds. Default 30,000. */
  readonly leaseMs?: number;
  /** How long a call may wait while another process is writing, in milliseconds. Default 5,000; then `STORE_LOCKED`. */
  readonly busyMs?: number;
  /**
   * Whether opening reads the whole file to find damage: about 0.2 s for 100 MB, in which the event loop stands still. Default
   * true. Without it damage is found when a session is read, but a whole session, or an entry of a list, can be
   * missing unnoticed or come twice.
   */
  readonly checkOnOpen?: boolean;
}

/**
 * Opens the store before it returns. Throws `STORE_DAMAGED` (torn, corrupt, no store, or acknowledged commits are missing),
 * `STORE_UNSUPPORTED` (written by a later version), `STORE_LOCKED`, `STORE_FULL`, `STORE_FAILED`, `INVALID_ARGUMENT`.
 *
 * A call rejects `STORE_FULL` if the disk is full: nothing was written, and the store goes on. If the disk fails, the calls
 * that were being committed reject `OUTCOME_UNKNOWN`, and all others from then on `STORE_FAILED`, until it is opened anew.
 *
 * While it is open, read or copy its files from other processes only: when a process closes a file that it opened beside
 * SQLite, the system drops the locks that keep the store whole (fcntl(2)).
 */
export function sqliteStore(options: SqliteStoreOptions): SessionStore {
  return openSqliteStore(options, openDatabase);
}
