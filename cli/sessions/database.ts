/** The session database of a folder: `.troupe/sessions.db`. */
import { existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionStore } from '../../src/index.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { Failure, toFailure } from '../exit.ts';

/** How long to wait for another process that holds the database, in milliseconds. */
const busyMs = 2_000;

/** Makes the database if there is none. Throws a `Failure`. */
export function openDatabase(folder: string): SessionStore {
  makeHome(folder);
  return open(folder);
}

/** Undefined if there is none: looking makes nothing. Throws a `Failure`. */
export function openExistingDatabase(folder: string): SessionStore | undefined {
  return existsSync(databasePath(folder)) ? open(folder) : undefined;
}

function open(folder: string): SessionStore {
  const path = databasePath(folder);
  try {
    return sqliteStore({ path, busyMs });
  } catch (error) {
    const failure = toFailure(error);
    if (failure.message.includes(path)) throw failure;
    throw new Failure(failure.exit, `${path}: ${failure.message}`, { cause: error });
  }
}

/** The sessions quote files, so nobody else may read them and git is told to leave them. A link could lead anywhere. */
function makeHome(folder: string): void {
  const home = join(folder, '.troupe');
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    if (!lstatSync(home).isDirectory()) throw new Failure('databaseFailed', '.troupe is no folder of its own');
    writeFileSync(join(home, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && existsSync(join(home, '.gitignore'))) return;
    throw new Failure('databaseFailed', `.troupe cannot be made in the folder: ${code ?? 'it failed'}`, { cause: error });
  }
}

function databasePath(folder: string): string {
  return join(folder, '.troupe', 'sessions.db');
}
