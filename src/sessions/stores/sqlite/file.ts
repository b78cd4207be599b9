/**
 * Opening and making the file. A new store is made whole beside its path and linked into place, so that no crash and no
 * second process ever meets half a store, and an empty file at the path is always damage.
 *
 * Neither the store's file nor its `-shm` is ever opened here once SQLite may have it open: closing any descriptor of a file
 * drops the locks that this process holds on it (fcntl(2)), also those of another store in the same process.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { SubagentError, toSubagentError } from '../../../errors.ts';
import { randomIds } from '../../../ports/ids.ts';
import { type Database, faultOf, type OpenDatabase } from './database.ts';
import { type CommitMark, openMark, readMark } from './mark.ts';
import { checkIntegrity, checkSchema, configure, createSchema } from './schema.ts';

export interface StoreFile {
  readonly database: Database;
  readonly mark: CommitMark;
}

export interface StoreFileOptions {
  /** Absolute. */
  readonly path: string;
  readonly open: OpenDatabase;
  /** How long to wait, blocking, for somebody who holds the file exclusively, in milliseconds. */
  readonly busyMs: number;
  readonly isChecked: boolean;
}

/** Opens the store, making it if there is none. Throws `STORE_DAMAGED`, `STORE_UNSUPPORTED`, `STORE_LOCKED`, `STORE_FULL`, `STORE_FAILED`. */
export function openStoreFile(options: StoreFileOptions): StoreFile {
  try {
    if (!existsSync(options.path)) createFile(options);
    return openFile(options);
  } catch (error) {
    throw translate(error, options.path);
  }
}

function openFile(options: StoreFileOptions): StoreFile {
  const { path, open, busyMs } = options;
  const identity = inspect(options);
  const database = open(path);
  try {
    configure(database, busyMs);
    return { database, mark: openMark(markPath(path), identity) };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Returns the identity of the store, or throws. Only reads: closing a connection that may write would empty the log of a
 * damaged store into its file and delete what somebody could still save from it.
 */
function inspect({ path, open, busyMs, isChecked }: StoreFileOptions): string {
  const stat = statSync(path);
  if (!stat.isFile()) throw new SubagentError('INVALID_ARGUMENT', `${path} is not a file`);
  if (stat.size === 0) throw new SubagentError('STORE_DAMAGED', `${path} is empty; a store never is`);
  const acknowledged = readMark(markPath(path)); // before the store is read: other processes go on committing
  const database = open(path, { isReadOnly: true });
  try {
    database.exec(`pragma busy_timeout = ${Math.ceil(busyMs)}`);
    checkSchema(database, open);
    if (isChecked) checkIntegrity(database);
    const store = database.prepare('select identity, commits from store where id = 1').get() as StoreRow | undefined;
    if (store === undefined) throw new SubagentError('STORE_DAMAGED', `${path} has lost its identity`);
    if (acknowledged?.identity === store.identity && acknowledged.commits > store.commits) {
      const lost = acknowledged.commits - store.commits;
      const advice = `restore the store with its -wal file, or delete ${markPath(path)} to accept the loss`;
      throw new SubagentError('STORE_DAMAGED', `${path} has lost its last ${lost} acknowledged commits; ${advice}`);
    }
    return store.identity;
  } finally {
    database.close();
  }
}

interface StoreRow {
  readonly identity: string;
  readonly commits: number;
}

function createFile({ path, open }: StoreFileOptions): void {
  if (existsSync(`${path}-wal`)) throw new SubagentError('STORE_DAMAGED', `${path} is gone, but not its -wal file`);
  const folder = dirname(path);
  const firstMade = mkdirSync(folder, { recursive: true, mode: 0o700 });
  const identity = randomIds().next();
  const draft = `${path}.${identity}.new`;
  try {
    closeSync(openSync(draft, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600));
    const database = open(draft);
    try {
      createSchema(database, identity);
    } finally {
      database.close();
    }
    publish(draft, path);
  } finally {
    for (const rest of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(rest, { force: true });
  }
  syncFolder(folder);
  if (firstMade === undefined) return;
  for (let made = folder; made.length >= firstMade.length; made = dirname(made)) syncFolder(dirname(made));
}

/** Puts the draft in place unless another process was first, whose store then is the one to open. */
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    copyFileSync(draft, path, constants.COPYFILE_EXCL); // a file system without hard links
  }
}

/** Makes the new names in a folder survive a power loss. Windows opens no folders. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function markPath(path: string): string {
  return `${path}-mark`;
}

const systemFaults = new Map([
  ['ENOSPC', 'STORE_FULL'],
  ['EDQUOT', 'STORE_FULL'],
] as const satisfies [string, 'STORE_FULL'][]);

function translate(error: unknown, path: string): SubagentError {
  if (error instanceof SubagentError) return error;
  const { errcode, code } = error as { errcode?: unknown; code?: string };
  if (errcode === undefined) {
    return toSubagentError(error, systemFaults.get(code as 'ENOSPC') ?? 'STORE_FAILED', `the store ${path} cannot be opened`);
  }
  switch (faultOf(error)) {
    case 'busy':
      return toSubagentError(error, 'STORE_LOCKED', `the store ${path} is held by somebody else`);
    case 'full':
    case 'indexFull':
      return toSubagentError(error, 'STORE_FULL', `the disk of the store ${path} is full`);
    case 'damaged':
      return toSubagentError(error, 'STORE_DAMAGED', `${path} is damaged or no session store`);
    default:
      return toSubagentError(error, 'STORE_FAILED', `the store ${path} cannot be opened`);
  }
}
