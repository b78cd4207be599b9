/** A database that counts its commits and fails when told, for tests of the SQLite store. */
import { type Database, type OpenDatabase, openDatabase, type Statement } from '../../src/sessions/stores/sqlite/database.ts';

export interface FaultyDatabase {
  readonly open: OpenDatabase;
  /** Every statement that ran on the store's own file since it was opened, except what opening itself ran. */
  readonly statements: string[];
  /** The real one under the store that is open. */
  readonly inner: () => Database;
  /** The next statement that starts with `start` throws `error`; with `isDone` after it was done. `skip` lets as many pass before. */
  failNext(start: string, error: unknown, options?: { isDone?: boolean; skip?: number }): void;
  count(start: string): number;
}

interface Failure {
  readonly start: string;
  readonly error: unknown;
  readonly isDone: boolean;
  skip: number;
}

export function faultyDatabase(): FaultyDatabase {
  const statements: string[] = [];
  const failures: Failure[] = [];
  let inner: Database | undefined;

  function run<Result>(sql: string, go: () => Result): Result {
    statements.push(sql);
    const failure = failures.find(({ start }) => sql.startsWith(start));
    if (failure === undefined || failure.skip-- > 0) return go();
    failures.splice(failures.indexOf(failure), 1);
    if (failure.isDone) go();
    throw failure.error;
  }

  function wrap(database: Database): Database {
    return {
      exec: (sql) => run(sql, () => database.exec(sql)),
      prepare(sql): Statement {
        const statement = database.prepare(sql);
        return {
          run: (...values) => run(sql, () => statement.run(...values)),
          get: (...values) => run(sql, () => statement.get(...values)),
          all: (...values) => run(sql, () => statement.all(...values)),
        };
      },
      close: () => database.close(),
    };
  }

  return {
    statements,
    inner() {
      if (inner === undefined) throw new Error('no store was opened');
      return inner;
    },
    open(path, options) {
      const database = openDatabase(path, options);
      if (!path.endsWith('.db') || options?.isReadOnly) return database;
      inner = database;
      return wrap(database);
    },
    failNext(start, error, { isDone = false, skip = 0 } = {}) {
      failures.push({ start, error, isDone, skip });
    },
    count: (start) => statements.filter((sql) => sql.startsWith(start)).length,
  };
}

/** As Node throws it. Codes: 11 corrupt, 13 full, 522 short read, 778 failed write, 1034 failed fsync, 4874 no room for the log's index (rescode.html). */
export function sqliteError(errcode: number): Error {
  return Object.assign(new Error(`SQLite error ${errcode}`), { code: 'ERR_SQLITE_ERROR', errcode });
}
