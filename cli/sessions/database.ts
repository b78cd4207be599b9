/** The session database of a folder: `.troupe/sessions.db`. */
import { existsSync, lstatSync, mkdirSync, type Stats, writeFileSync } from 'node:fs';
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
  const path = databasePath(folder);
  const home = statOf(join(folder, '.troupe'));
  if (home === undefined) return undefined;
  if (!home.isDirectory()) throw noFolder();
  if (statOf(path) !== undefined) return open(folder);
  if (statOf(`${path}-mark`) === undefined && statOf(`${path}-wal`) === undefined) return undefined;
  throw new Failure('databaseDamaged', `${path} is gone, but not the files that lay beside it`);
}

/** Undefined if there is nothing of that name, and only then. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure('databaseFailed', `${path} cannot be reached: ${code ?? 'it failed'}`, { cause: error });
  }
}

function noFolder(): Failure {
  return new Failure('databaseFailed', '.troupe is no folder of its own');
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
    if (!lstatSync(home).isDirectory()) throw noFolder();
    writeFileSync(join(home, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && existsSync(join(home, '.gitignore'))) return;
    if (code === 'EEXIST') throw noFolder();
    const why = `its sessions are kept in .troupe, which cannot be made there: ${code ?? 'it failed'}`;
    throw new Failure('databaseFailed', `the folder cannot be surveyed: ${why}`, { cause: error });
  }
}

function databasePath(folder: string): string {
  return join(folder, '.troupe', 'sessions.db');
}
