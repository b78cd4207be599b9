/** The one file that names Node's SQLite: what the store needs of it, and what its errors mean. */
import * as sqlite from 'node:sqlite';

type Bindable = string | number | null;

export interface Statement {
  run(...values: Bindable[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  get(...values: Bindable[]): unknown;
  all(...values: Bindable[]): unknown[];
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** A connection that only reads leaves the file and its write-ahead log as they are, also when it is closed. */
export type OpenDatabase = (path: string, options?: { readonly isReadOnly?: boolean }) => Database;

export const openDatabase: OpenDatabase = (path, { isReadOnly = false } = {}) => {
  return new sqlite.DatabaseSync(path, { readOnly: isReadOnly });
};

/**
 * `busy`: somebody else has the file; nothing happened. `full`: the disk is; nothing was written. `damaged`: what the file
 * holds contradicts itself. `tooBig`: the value, not the file. `foreign`: no error of SQLite. `failed`: disk or memory did.
 * `indexFull`: the disk is full for the index of the write-ahead log, which grows after the log itself was written and synced.
 */
export type DatabaseFault = 'busy' | 'full' | 'indexFull' | 'damaged' | 'tooBig' | 'foreign' | 'failed';

/** SQLITE_IOERR_SHMSIZE. */
const indexSizeCode = 4_874;
/** SQLITE_IOERR_SHORT_READ: a page that the file says it has ends in the middle. */
const shortReadCode = 522;

/** Primary result codes of SQLite (rescode.html); an extended code holds its primary one in the low byte. */
const faults = new Map<number, DatabaseFault>([
  [5, 'busy'], // SQLITE_BUSY
  [6, 'busy'], // SQLITE_LOCKED
  [15, 'busy'], // SQLITE_PROTOCOL: too many openers at once
  [13, 'full'], // SQLITE_FULL, which is also what ENOSPC from a write becomes
  [11, 'damaged'], // SQLITE_CORRUPT
  [26, 'damaged'], // SQLITE_NOTADB
  [1, 'damaged'], // SQLITE_ERROR: our statements are right, so the schema they meet is not
  [19, 'damaged'], // SQLITE_CONSTRAINT: every value is checked before, so what it collides with is wrong
  [18, 'tooBig'], // SQLITE_TOOBIG
]);

export function faultOf(error: unknown): DatabaseFault {
  const { errcode: code, code: nodeCode } = (error ?? {}) as { errcode?: unknown; code?: unknown };
  if (code === indexSizeCode) return 'indexFull';
  if (code === shortReadCode) return 'damaged';
  if (nodeCode === 'ERR_OUT_OF_RANGE') return 'damaged'; // an integer that no number of ours can have been
  return typeof code === 'number' ? (faults.get(code & 0xff) ?? 'failed') : 'foreign';
}
