/** The tables, and what makes a file a sound store of this version. */
import { SubagentError } from '../../../errors.ts';
import { type Database, type OpenDatabase, openDatabase } from './database.ts';

/** "trpe". Tells our files from other SQLite databases. */
const applicationId = 0x74727065;
const schemaVersion = 1;

/**
 * `event.no` follows the order of the commits, so that appends to many sessions fill the same few pages: a table ordered by
 * session was measured at half the speed. `owes` and the two partial indexes keep `pending` and `children` from scanning.
 */
const tables = `
create table store (id integer primary key, identity text not null, commits integer not null) strict;
create table owner (
  no integer primary key autoincrement, id text not null unique,
  pid integer not null, started text not null, host text not null, expires real not null
) strict;
create table session (
  no integer primary key, id text not null unique,
  seq integer not null, epoch integer not null, owner integer,
  unclaimed integer not null, turn integer not null, notice integer not null, owes integer not null, sum integer not null,
  depth integer not null, created real not null, header text not null, header_sum integer not null
) strict;
create index session_owing on session (no) where owes = 1;
create index session_root on session (created, no) where depth = 0;
create table event (
  no integer primary key, session integer not null, seq integer not null,
  time real not null, type text not null, data text not null, sum integer not null
) strict;
create unique index event_place on event (session, seq);
create index event_child on event (session, seq) where type = 'subagent/child';
`;

/** Writes straight into the file: what a write-ahead log held would be lost with the log if the disk filled up while it closed. */
export function createSchema(database: Database, identity: string): void {
  database.exec('pragma journal_mode = delete; pragma synchronous = full; pragma fullfsync = on;');
  database.exec(`begin; pragma application_id = ${applicationId}; pragma user_version = ${schemaVersion}; ${tables}`);
  database.prepare('insert into store (id, identity, commits) values (1, ?, 0)').run(identity);
  database.exec('commit');
  database.exec('pragma journal_mode = wal');
}

/** Throws `STORE_DAMAGED` if the file is no store of ours, `STORE_UNSUPPORTED` if a later version wrote it. */
export function checkSchema(database: Database, open: OpenDatabase = openDatabase): void {
  if (number(database, 'application_id') !== applicationId) {
    throw new SubagentError('STORE_DAMAGED', 'the file is a database but no session store');
  }
  const version = number(database, 'user_version');
  if (version > schemaVersion) {
    throw new SubagentError('STORE_UNSUPPORTED', `the store has version ${version}; the latest known is ${schemaVersion}`);
  }
  const fresh = open(':memory:');
  fresh.exec(tables);
  const isSame = schemaText(fresh) === schemaText(database);
  fresh.close();
  if (version !== schemaVersion || !isSame)
    throw new SubagentError('STORE_DAMAGED', 'the tables of the store are not as they were made');
}

/** Reads the whole file, twice as slow as the quick check but indexes included. Throws `STORE_DAMAGED`. */
export function checkIntegrity(database: Database): void {
  database.exec('pragma cell_size_check = on');
  const row = database.prepare('pragma integrity_check(1)').get() as { integrity_check: string };
  if (row.integrity_check !== 'ok') throw new SubagentError('STORE_DAMAGED', `the store is damaged: ${row.integrity_check}`);
}

/**
 * `full`: a commit returns after the sync. `fullfsync` makes that true on macOS as well and means nothing elsewhere. The
 * store starts its own checkpoints, since one that SQLite starts by itself hides a failed sync.
 */
export function configure(database: Database, busyMs: number): void {
  database.exec(`pragma busy_timeout = ${Math.ceil(busyMs)}`);
  const { journal_mode: mode } = database.prepare('pragma journal_mode = wal').get() as { journal_mode: string };
  if (mode !== 'wal') throw new SubagentError('STORE_FAILED', `the file system allows no write-ahead log (journal mode ${mode})`);
  database.exec(
    'pragma synchronous = full; pragma fullfsync = on; pragma wal_autocheckpoint = 0; pragma journal_size_limit = 16777216;' +
      'pragma cache_size = -8000; pragma cell_size_check = on; pragma trusted_schema = off;' +
      'pragma busy_timeout = 0;', // from here on nobody waits by blocking
  );
}

function number(database: Database, pragma: string): number {
  return (database.prepare(`pragma ${pragma}`).get() as Record<string, number>)[pragma] ?? 0;
}

function schemaText(database: Database): string {
  return JSON.stringify(database.prepare('select type, name, tbl_name, sql from sqlite_schema order by name').all());
}
