/** Group commit, and what happens to a group when the disk or another process is in its way. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SessionLease, SessionStore } from '../../src/sessions/store.ts';
import { openSqliteStore } from '../../src/sessions/stores/sqlite/store.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { manualClock } from '../support/manual-clock.ts';
import { type FaultyDatabase, faultyDatabase, sqliteError } from './faulty-database.ts';
import { child, header, inserted, sessionId } from './samples.ts';
import { tempFolder } from './temp-folder.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // disks and processes: slow on a busy machine
/** Waits on a condition, not on time: the bound only ends a test that would hang. */
const patient = { timeout: 30_000, interval: 5 };

const busyMs = 5_000;
const s1 = sessionId('s1');
const s2 = sessionId('s2');

let path: string;
let database: FaultyDatabase;
let store: SessionStore;
let clock: ReturnType<typeof manualClock>;

beforeEach(async () => {
  path = join(tempFolder(), 'store.db');
  database = faultyDatabase();
  clock = manualClock();
  store = openSqliteStore({ path, clock, busyMs }, database.open);
  onTestFinished(() => store.close());
  await store.create(header('s1'), 'a', [inserted('m0')]);
  await store.create(header('s2'), 'a', []);
  database.statements.length = 0;
});

function append(id: typeof s1, seq: number, text = 'm'): Promise<void> {
  const at: SessionLease = { seq, epoch: 1 };
  return store.append(id, at, [inserted(`${text}${seq}`)]);
}

/** The codes with which calls were refused; `done` for the others. */
async function codes(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const answers = await Promise.allSettled(calls);
  return answers.map((answer) => (answer.status === 'fulfilled' ? 'done' : answer.reason.code));
}

async function storedLengths(): Promise<number[]> {
  const other = sqliteStore({ path });
  const lengths = [(await other.read(s1)).length, (await other.read(s2)).length];
  await other.close();
  return lengths;
}

describe('a group of calls', () => {
  test('all calls of one turn of the event loop share one commit', async () => {
    const calls = Array.from({ length: 100 }, (_, index) => append(s2, index));
    await Promise.all(calls);
    expect(database.count('commit')).toBe(1);
    expect(await storedLengths()).toEqual([1, 100]);
  });

  test('nothing is answered before the commit (I2)', async () => {
    let isAnswered = false;
    const call = append(s1, 1).then(() => {
      isAnswered = true;
    });
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    expect([database.count('commit'), isAnswered]).toEqual([0, false]);
    await call;
    expect(database.count('commit')).toBe(1);
  });

  test('a commit is on the disk: the log is synced each time (I2)', () => {
    expect(database.inner().prepare('pragma synchronous').get()).toEqual({ synchronous: 2 });
    expect(database.inner().prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
  });

  test('SQLite empties the log only when told, since it keeps a failure to itself (R9)', () => {
    expect(database.inner().prepare('pragma wal_autocheckpoint').get()).toEqual({ wal_autocheckpoint: 0 });
  });

  test('a call that is refused fails alone and writes nothing; the others are written', async () => {
    const calls = [
      append(s1, 1),
      append(s1, 1), // fenced: the first took the place
      store.create(header('s2'), 'a', [child('c1')]),
      store.remove(s2, 7),
      append(s2, 0),
      append(s1, 2),
    ];
    expect(await codes(calls)).toEqual(['done', 'FENCED', 'SESSION_EXISTS', 'FENCED', 'done', 'done']);
    expect(database.count('commit')).toBe(1);
    expect(await storedLengths()).toEqual([3, 1]);
    expect(await store.children(s2)).toEqual([]);
  });

  test('a call that breaks in mid-write leaves nothing of itself; the others are written', async () => {
    database.failNext('insert into event', sqliteError(11), { skip: 2 });
    const first = append(s1, 1);
    const broken = store.append(s2, { seq: 0, epoch: 1 }, [inserted('m0'), child('c1')]); // at its second event
    expect(await codes([first, broken, append(s1, 2)])).toEqual(['done', 'STORE_DAMAGED', 'done']);
    expect(await storedLengths()).toEqual([3, 0]);
    expect((await store.head(s2))?.seq).toBe(0);
  });

  test('a group that only reads or is refused makes no commit', async () => {
    expect(await codes([append(s1, 9), store.head(s1), append(s1, 9)])).toEqual(['FENCED', 'done', 'FENCED']);
    expect(database.count('commit')).toBe(0);
  });

  test('an event that JSON cannot hold is refused before anything is written', async () => {
    let deep: unknown = [];
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const event = { type: 'result/submitted', time: 1, data: { turnId: 't', value: deep as never } } as const;
    const calls = [store.append(s1, { seq: 1, epoch: 1 }, [event]), append(s1, 1)];
    expect(await codes(calls)).toEqual(['INVALID_ARGUMENT', 'done']);
    await expect(store.append(s1, { seq: 2, epoch: 1 }, [{ ...inserted('m'), time: Number.NaN }])).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });
});

describe('a disk that is full', () => {
  test('rejects every call of the group, writes nothing, and lets the store go on (R9)', async () => {
    const { page_count: pages } = database.inner().prepare('pragma page_count').get() as { page_count: number };
    database.inner().exec(`pragma max_page_count = ${pages + 2}`); // SQLite itself finds no room for more
    const large = store.append(s2, { seq: 0, epoch: 1 }, [inserted('m0', { text: 'x'.repeat(100_000) })]);
    expect(await codes([append(s1, 1), large, append(s1, 2)])).toEqual(['STORE_FULL', 'STORE_FULL', 'STORE_FULL']);
    expect(await storedLengths()).toEqual([1, 0]);
    await append(s1, 1); // a small one still fits
    database.inner().exec('pragma max_page_count = 1000000');
    await store.append(s2, { seq: 0, epoch: 1 }, [inserted('m0', { text: 'x'.repeat(100_000) })]);
    expect(await storedLengths()).toEqual([2, 1]);
  });

  test('is told from a failing one at the commit as well (R9)', async () => {
    database.failNext('commit', sqliteError(13));
    expect(await codes([append(s1, 1), append(s2, 0)])).toEqual(['STORE_FULL', 'STORE_FULL']);
    expect(await codes([append(s1, 1)])).toEqual(['done']);
    expect(await storedLengths()).toEqual([2, 0]);
  });
});

describe('a disk that is full for the index of the log', () => {
  test('before the commit wrote nothing, and the store goes on (R9)', async () => {
    database.failNext('begin immediate', sqliteError(4874));
    expect(await codes([append(s1, 1)])).toEqual(['STORE_FULL']);
    expect(await codes([append(s1, 1)])).toEqual(['done']);
  });

  test('at the commit leaves the outcome unknown: the log itself is on disk then (R9)', async () => {
    database.failNext('commit', sqliteError(4874));
    expect(await codes([append(s1, 1)])).toEqual(['OUTCOME_UNKNOWN']);
    expect(await codes([append(s1, 1)])).toEqual(['STORE_FAILED']);
  });
});

describe('a disk that fails', () => {
  test.each([true, false])(
    'at the sync: outcome unknown, never tried again, failed from then on (R9); written: %s',
    async (isDone) => {
      database.failNext('commit', sqliteError(1034), { isDone });
      const calls = [append(s1, 1), store.read(s1), append(s1, 9), append(s2, 0)];
      expect(await codes(calls)).toEqual(['OUTCOME_UNKNOWN', 'STORE_FAILED', 'STORE_FAILED', 'OUTCOME_UNKNOWN']);
      const later = [append(s1, 1), store.head(s1), store.claim(s1, 'a'), store.pending(), store.check(s1, 1), store.renew('a')];
      expect(new Set(await codes(later))).toEqual(new Set(['STORE_FAILED']));
      expect(database.count('commit')).toBe(1);
      await store.close();
      expect(await storedLengths()).toEqual(isDone ? [2, 1] : [1, 0]);
    },
  );

  test.each(['begin immediate', 'insert into event', 'update store'])(
    'before the commit, at "%s": nothing was written (R9)',
    async (start) => {
      database.failNext(start, sqliteError(778));
      expect(await codes([append(s1, 1), append(s2, 0)])).toEqual(['STORE_FAILED', 'STORE_FAILED']);
      expect(await codes([append(s1, 1), store.head(s1)])).toEqual(['STORE_FAILED', 'STORE_FAILED']);
      expect(database.count('commit')).toBe(0);
      await store.close();
      expect(await storedLengths()).toEqual([1, 0]);
    },
  );

  test('while the log is emptied: what was acknowledged stays, and the store has failed (R9)', async () => {
    database.failNext('pragma wal_checkpoint', sqliteError(1034));
    await store.append(s2, { seq: 0, epoch: 1 }, [inserted('m0', { text: 'x'.repeat(5_000_000) })]);
    await expect.poll(() => codes([store.head(s1)]), patient).toEqual(['STORE_FAILED']);
    expect(database.count('pragma wal_checkpoint')).toBe(1);
    await store.close();
    expect(await storedLengths()).toEqual([1, 1]);
  });
});

describe('another process that is writing', () => {
  let other: DatabaseSync;
  beforeEach(() => {
    other = new DatabaseSync(path);
    other.exec('begin immediate');
    onTestFinished(() => other.close());
  });

  test('is waited for without blocking the event loop, and calls keep their order', async () => {
    const calls = [append(s1, 1), store.read(s1)];
    await expect.poll(() => database.count('begin immediate'), patient).toBeGreaterThan(2);
    calls.push(append(s1, 2), store.read(s1));
    other.exec('commit');
    await Promise.all(calls);
    expect(await calls[1]).toHaveLength(2);
    expect(await calls[3]).toHaveLength(3);
    expect(clock.pendingTimers).toBe(0);
  });

  test('for longer than busyMs rejects STORE_LOCKED with nothing written; the store goes on', async () => {
    const calls = [append(s1, 1), store.read(s1)];
    await expect.poll(() => clock.pendingTimers, patient).toBe(1);
    clock.advance(busyMs - 1);
    await expect.poll(() => database.count('begin immediate'), patient).toBeGreaterThan(2);
    clock.advance(1);
    expect(await codes(calls)).toEqual(['STORE_LOCKED', 'STORE_LOCKED']);
    other.exec('commit');
    await append(s1, 1);
    expect(await storedLengths()).toEqual([2, 0]);
  });

  test('can keep a read out for a moment, which then is tried again', async () => {
    other.exec('commit');
    database.failNext('begin', sqliteError(5)); // another process recovers the log
    expect(await store.read(s1)).toHaveLength(1);
    expect(database.count('begin immediate')).toBe(1);
  });

  test('does not delay a read that has nothing to wait for (I4)', async () => {
    expect(await store.read(s1)).toHaveLength(1);
    expect(await store.pending()).toEqual([]);
  });
});
