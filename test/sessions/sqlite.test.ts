/** The file: how it is made, opened, refused, shared and closed. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { SessionHeader } from '../../src/sessions/event.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { openDatabase } from '../../src/sessions/stores/sqlite/database.ts';
import { openSqliteStore } from '../../src/sessions/stores/sqlite/store.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { manualClock } from '../support/manual-clock.ts';
import { child, header, inserted, sessionId } from './samples.ts';
import { tempFolder } from './temp-folder.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // disks and processes: slow on a busy machine

const s1 = sessionId('s1');
let path: string;

beforeEach(() => {
  path = join(tempFolder(), 'store.db');
});

async function makeStore(): Promise<void> {
  const store = sqliteStore({ path });
  await store.create(header('s1'), 'a', [inserted('m0'), child('c1')]);
  await store.close();
}

/** The code of what `open` throws. */
function refusal(open: () => unknown): string {
  try {
    open();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'opened';
}

describe('a new store', () => {
  test('makes its folders and files for this user alone', async () => {
    path = join(dirname(path), 'deep', 'er', 'store.db');
    const store = sqliteStore({ path });
    await store.create(header('s1'), 'a', []);
    const folder = dirname(path);
    expect(readdirSync(folder).sort()).toEqual(['store.db', 'store.db-mark', 'store.db-shm', 'store.db-wal']);
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(dirname(folder)).mode & 0o777).toBe(0o700);
    await store.close();
    expect(readdirSync(folder).sort()).toEqual(['store.db', 'store.db-mark']);
  });

  test('that another process makes at the same moment is the one that both use', async () => {
    let other: SessionStore | undefined;
    const store = openSqliteStore({ path }, (file, options) => {
      if (file.endsWith('.new')) other ??= sqliteStore({ path }); // the other is faster
      return openDatabase(file, options);
    });
    await other?.create(header('s1'), 'a', [inserted('m0')]);
    expect(await store.read(s1)).toHaveLength(1);
    await Promise.all([store.close(), other?.close()]);
    expect(readdirSync(dirname(path)).sort()).toEqual(['store.db', 'store.db-mark']);
  });

  test('refuses options that make no sense', () => {
    expect(refusal(() => sqliteStore({ path: '' }))).toBe('INVALID_ARGUMENT');
    expect(refusal(() => sqliteStore({ path, leaseMs: 0 }))).toBe('INVALID_ARGUMENT');
    expect(refusal(() => sqliteStore({ path, busyMs: Number.NaN }))).toBe('INVALID_ARGUMENT');
    expect(refusal(() => sqliteStore({ path: dirname(path) }))).toBe('INVALID_ARGUMENT');
    expect(existsSync(path)).toBe(false);
  });

  test('cannot be made where a file is in the way of its folder', () => {
    writeFileSync(path, 'a file');
    expect(refusal(() => sqliteStore({ path: join(path, 'store.db') }))).toBe('STORE_FAILED');
  });
});

describe('a store that is opened again', () => {
  test('has every session, its numbers and its epochs, and nobody holds them after a clean close', async () => {
    const first = sqliteStore({ path });
    await first.create(header('s1'), 'a', [inserted('m0'), child('c1')]);
    await first.claim(s1, 'a');
    await first.append(s1, { seq: 2, epoch: 2 }, [inserted('m1')]);
    const before = [await first.read(s1), await first.children(s1)];
    await first.close();
    const second = sqliteStore({ path });
    expect(await second.head(s1)).toEqual({ header: header('s1'), seq: 3, epoch: 2, owner: undefined });
    expect([await second.read(s1), await second.children(s1)]).toEqual(before);
    expect((await second.pending()).map(({ pending }) => pending.unclaimed)).toEqual([2]);
    expect(await second.claim(s1, 'b')).toEqual({ seq: 3, epoch: 3 });
    await second.close();
  });

  test('keeps events of 50 MB (R7)', async () => {
    const text = 'é\u2028'.repeat(10_000_000); // 50 MB as UTF-8
    const first = sqliteStore({ path });
    await first.create(header('s1'), 'a', [inserted('m0', { text }), inserted('m1')]);
    await first.close();
    const second = sqliteStore({ path });
    const [event] = await second.read(s1);
    expect(event?.type === 'inbox/inserted' && event.data.content[0]).toEqual({ type: 'text', text });
    await second.close();
  });

  test('is not harmed by the draft of a process that died while it made the file', async () => {
    writeFileSync(`${path}.abcdefghijklmnopqrstuvwxyz.new`, 'half a store');
    await makeStore();
    expect(refusal(() => sqliteStore({ path, checkOnOpen: false }).close())).toBe('opened');
  });
});

describe('what is refused when it is opened', () => {
  test('a store of a later version', async () => {
    await makeStore();
    const database = new DatabaseSync(path);
    database.exec('pragma user_version = 2');
    database.close();
    expect(refusal(() => sqliteStore({ path }))).toBe('STORE_UNSUPPORTED');
  });

  test('a file that is no database, and an empty one', () => {
    writeFileSync(path, 'A letter, long enough to be taken for something else.\n'.repeat(100));
    expect(refusal(() => sqliteStore({ path }))).toBe('STORE_DAMAGED');
    writeFileSync(path, '');
    expect(refusal(() => sqliteStore({ path }))).toBe('STORE_DAMAGED');
    expect(statSync(path).size).toBe(0);
  });

  test('a database that is somebody else’s, which stays as it was', () => {
    const database = new DatabaseSync(path);
    database.exec('create table theirs (x)');
    database.close();
    expect(refusal(() => sqliteStore({ path }))).toBe('STORE_DAMAGED');
    expect(existsSync(`${path}-mark`)).toBe(false);
  });

  test('a store whose tables were changed', async () => {
    await makeStore();
    const database = new DatabaseSync(path);
    database.exec('drop index event_child');
    database.close();
    expect(refusal(() => sqliteStore({ path }))).toBe('STORE_DAMAGED');
  });

  test('a write-ahead log whose file is gone', async () => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}-wal`, 'x'.repeat(5_000));
    expect(refusal(() => sqliteStore({ path }))).toBe('STORE_DAMAGED');
    expect(existsSync(path)).toBe(false);
  });

  test('a file that somebody keeps to himself for longer than busyMs', async () => {
    await makeStore();
    const other = new DatabaseSync(path);
    other.exec('pragma locking_mode = exclusive; begin exclusive');
    expect(refusal(() => sqliteStore({ path, busyMs: 20 }))).toBe('STORE_LOCKED');
    other.close();
    expect(refusal(() => sqliteStore({ path, busyMs: 20 }).close())).toBe('opened');
  });

  test('only the session whose header is of a later version', async () => {
    const store = sqliteStore({ path });
    await store.create({ ...header('s1'), version: 2 } as unknown as SessionHeader, 'a', []);
    await store.create(header('s2'), 'a', []);
    await expect(store.head(s1)).rejects.toMatchObject({ code: 'SESSION_UNSUPPORTED' });
    expect(await store.head(sessionId('s2'))).toMatchObject({ epoch: 1 });
    await store.close();
  });
});

describe('two stores of one process on one file', () => {
  test('are two owners, both alive; closing one hands back what it claimed', async () => {
    const first = sqliteStore({ path });
    const second = sqliteStore({ path });
    await first.create(header('s1'), 'a', [inserted('m0')]);
    await second.create(header('s2'), 'b', [inserted('m0')]);
    await expect(second.claim(s1, 'b')).rejects.toMatchObject({ code: 'BUSY' });
    expect(await second.pending()).toEqual([]);
    await first.close();
    expect((await second.pending()).map((one) => one.header.id)).toEqual(['s1']);
    expect(await second.claim(s1, 'b')).toEqual({ seq: 1, epoch: 2 });
    await second.close();
  });

  test('do not come into what a closed one held', async () => {
    const first = sqliteStore({ path });
    await first.create(header('s1'), 'a', []);
    await first.close();
    const second = sqliteStore({ path });
    await second.create(header('s2'), 'b', []);
    expect((await second.head(s1))?.owner).toBeUndefined();
    expect(await second.claim(s1, 'c')).toEqual({ seq: 0, epoch: 2 });
    await second.close();
  });

  test('see each other’s appends, and only one of two that use the same number gets it (P20)', async () => {
    const first = sqliteStore({ path });
    const second = sqliteStore({ path });
    const lease = await first.create(header('s1'), 'a', []);
    await first.append(s1, lease, [inserted('m0')]);
    await expect(second.append(s1, lease, [inserted('m1')])).rejects.toMatchObject({ code: 'FENCED' });
    await second.append(s1, { seq: 1, epoch: 1 }, [inserted('m1')]);
    expect(await first.read(s1)).toHaveLength(2);
    await Promise.all([first.close(), second.close()]);
  });

  test('an owner whose lease ran out while another took the session over does not get it back by renewing', async () => {
    const clock = manualClock();
    const first = sqliteStore({ path, clock });
    const second = sqliteStore({ path, clock });
    await first.create(header('s1'), 'a', []);
    clock.advance(first.leaseMs);
    await second.claim(s1, 'b');
    await first.renew('a');
    await expect(first.append(s1, { seq: 0, epoch: 1 }, [inserted('m0')])).rejects.toMatchObject({ code: 'FENCED' });
    await expect(first.claim(s1, 'a')).rejects.toMatchObject({ code: 'BUSY' });
    await Promise.all([first.close(), second.close()]);
  });
});

test('the write-ahead log stays small however much is written', async () => {
  const store = sqliteStore({ path });
  let { seq } = await store.create(header('s1'), 'a', []);
  for (let round = 0; round < 40; round++) {
    const batch = Array.from({ length: 100 }, (_, index) => inserted(`m${index}`, { text: 'x'.repeat(8_000) }));
    await store.append(s1, { seq, epoch: 1 }, batch);
    seq += batch.length;
  }
  expect(statSync(path).size).toBeGreaterThan(16_000_000);
  expect(statSync(`${path}-wal`).size).toBeLessThan(16_000_000);
  await store.close();
  rmSync(path);
});
