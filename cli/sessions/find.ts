import { type SessionHead, type SessionStore, toSessionId } from '../../src/index.ts';
import { Failure } from '../exit.ts';
import { printable } from '../terminal/printable.ts';
import { openExistingDatabase } from './database.ts';

export interface FoundSession {
  /** Open; the caller closes it. */
  readonly store: SessionStore;
  readonly head: SessionHead;
}

/** Throws a `Failure`, with the database closed, unless the folder has the session. */
export async function findSession(folder: string, id: string): Promise<FoundSession> {
  const store = openExistingDatabase(folder);
  if (store === undefined) throw unknownSession(id);
  try {
    const head = await store.head(checkedId(id));
    if (head === undefined) throw unknownSession(id);
    return { store, head };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function checkedId(id: string) {
  try {
    return toSessionId(id);
  } catch (error) {
    throw unknownSession(id, error);
  }
}

function unknownSession(id: string, cause?: unknown): Failure {
  return new Failure('sessionUnknown', `no session has the id ${printable(id, 80)}; troupe ls --tree lists them`, { cause });
}
