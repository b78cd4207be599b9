/**
 * Damage to the files of a store (R7). Whatever is cut or flipped, a store either opens with every record as it was written,
 * or is refused. What SQLite cannot see by itself is a write-ahead log that lost its end: the mark beside the store tells.
 */
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { errorCode } from '../../src/errors.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { openMark } from '../../src/sessions/stores/sqlite/mark.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { noteFigure } from '../support/figures.ts';
import { child, claimed, header, inserted, sessionId, turnStarted } from './samples.ts';
import { suiteFolder, tempFolder } from './temp-folder.ts';

/** How many times as many places are damaged. */
const density = process.env.TROUPE_NIGHTLY === '1' ? 8 : 1;
vi.setConfig({ testTimeout: 60_000 * density, hookTimeout: 60_000 }); // disks and processes: slow on a busy machine
const ids = ['s1', 's2', 's3'].map(sessionId);
/** Every answer a store can give, or the code with which it refused. */
type Answers = Record<string, unknown>;
type Verdict = 'intact' | 'refused at opening' | 'refused when read' | 'altered';

/** Closed in good order: one file, no log. */
const closedFolder = suiteFolder();
/** As `kill -9` leaves it: half of it still in the write-ahead log. */
const killedFolder = suiteFolder();
const scratch = suiteFolder();
let original: Answers;

beforeAll(async () => {
  await write(closedFolder);
  await write(scratch, killedFolder);
  const store = sqliteStore({ path: join(closedFolder, 'store.db') });
  original = await answersOf(store);
  await store.close();
});

/** Three sessions with 24 events. Six commits are still in the log when the files are copied to `killed`. */
async function write(folder: string, killed?: string): Promise<void> {
  const path = join(folder, 'store.db');
  let store = sqliteStore({ path });
  for (const id of ids) await store.create(header(id), 'a', [inserted('m0', { text: 'x'.repeat(700) }), child('c0')]);
  for (let round = 0; round < 3; round++) {
    if (round === 1) {
      await store.close();
      store = sqliteStore({ path });
    }
    for (const id of ids) {
      await store.append(id, { seq: 2 + round * 2, epoch: 1 }, [round === 2 ? claimed(['m0']) : child(`c${round}`), turnStarted]);
    }
  }
  if (killed) cpSync(folder, killed, { recursive: true, filter: (file) => !file.endsWith('-shm') });
  await store.close();
}

async function answersOf(store: SessionStore): Promise<Answers> {
  const calls: Record<string, () => Promise<unknown>> = { roots: () => store.roots(), pending: () => store.pending() };
  for (const id of ids) {
    calls[`head ${id}`] = () => store.head(id);
    calls[`read ${id}`] = () => store.read(id);
    calls[`children ${id}`] = () => store.children(id);
  }
  const answers: Answers = {};
  for (const [name, call] of Object.entries(calls))
    answers[name] = await call().catch((error: unknown) => errorCode(error) ?? error);
  return answers;
}

const refusals = ['SESSION_DAMAGED', 'SESSION_UNSUPPORTED', 'STORE_DAMAGED', 'STORE_UNSUPPORTED'];

async function judge(path: string): Promise<Verdict> {
  let store: SessionStore;
  try {
    store = sqliteStore({ path });
  } catch (error) {
    if (refusals.includes(errorCode(error) ?? '')) return 'refused at opening';
    throw error;
  }
  const answers = await answersOf(store);
  await store.close();
  const wrong = Object.keys(original).filter((name) => JSON.stringify(answers[name]) !== JSON.stringify(original[name]));
  if (wrong.length === 0) return 'intact';
  return wrong.every((name) => refusals.includes(answers[name] as string)) ? 'refused when read' : 'altered';
}

/** Damages a fresh copy at each offset. Returns where the store was altered in silence, and how often each verdict fell. */
async function survey(from: string, file: string, step: number, damage: (path: string, offset: number) => void) {
  const folder = tempFolder('quick');
  const size = readFileSync(join(from, file)).length;
  const counts: Record<Verdict, number> = { intact: 0, 'refused at opening': 0, 'refused when read': 0, altered: 0 };
  const altered: number[] = [];
  for (let offset = 0; offset < size; offset += Math.ceil(step / density)) {
    rmSync(folder, { recursive: true, force: true });
    cpSync(from, folder, { recursive: true });
    damage(join(folder, file), offset);
    const verdict = await judge(join(folder, 'store.db'));
    counts[verdict]++;
    if (verdict === 'altered') altered.push(offset);
    noteFigure(damage === truncateSync ? 'cuts' : damage === flip ? 'flips' : 'nulRuns', 1);
  }
  noteFigure('altered', altered.length);
  return { altered, counts };
}

function copyOf(from: string): string {
  const folder = tempFolder('quick');
  cpSync(from, folder, { recursive: true });
  return folder;
}

/** Flips one bit, another one from byte to byte. */
function flip(path: string, offset: number): void {
  const bytes = readFileSync(path);
  bytes[offset] = (bytes[offset] ?? 0) ^ (1 << (offset % 8));
  writeFileSync(path, bytes);
}

describe('a store that was closed in good order', () => {
  test('is refused wherever its file is cut off (R7)', async () => {
    const { altered, counts } = await survey(closedFolder, 'store.db', 487, truncateSync);
    expect(altered).toEqual([]);
    expect(counts['refused at opening']).toBeGreaterThan(50);
    expect(counts.intact).toBe(0);
  });

  test('is never altered in silence by a flipped bit (R7)', async () => {
    const { altered, counts } = await survey(closedFolder, 'store.db', 149, flip);
    expect(altered).toEqual([]);
    expect(counts['refused at opening']).toBeGreaterThan(5);
    expect(counts['refused when read']).toBeGreaterThan(5); // what only our checksums see
  });

  test('is never altered in silence by a run of NUL bytes (R7)', async () => {
    const { altered } = await survey(closedFolder, 'store.db', 331, (path, offset) => {
      const bytes = readFileSync(path);
      bytes.subarray(offset, offset + 64).fill(0);
      writeFileSync(path, bytes);
    });
    expect(altered).toEqual([]);
  });
});

describe('a store whose process was killed', () => {
  test('opens with every acknowledged record', async () => {
    const folder = copyOf(killedFolder);
    expect(existsSync(join(folder, 'store.db-wal'))).toBe(true);
    expect(await judge(join(folder, 'store.db'))).toBe('intact');
  });

  test('is refused wherever its write-ahead log is cut off (R7)', async () => {
    const { altered, counts } = await survey(killedFolder, 'store.db-wal', 487, truncateSync);
    expect(altered).toEqual([]);
    expect(counts['refused at opening']).toBeGreaterThan(50);
  });

  test('is never altered in silence by a flipped bit in its write-ahead log (R7)', async () => {
    const { altered, counts } = await survey(killedFolder, 'store.db-wal', 487, flip);
    expect(altered).toEqual([]);
    expect(counts['refused at opening']).toBeGreaterThan(50);
  });

  test('is refused if its write-ahead log is gone', async () => {
    const folder = copyOf(killedFolder);
    rmSync(join(folder, 'store.db-wal'));
    expect(() => sqliteStore({ path: join(folder, 'store.db') })).toThrow('has lost its last 6 acknowledged commits');
  });

  test.each(['store.db', 'store.db-wal'])(
    'that is refused for damage to its %s is left as it is, for whoever can save something',
    async (file) => {
      const folder = copyOf(killedFolder);
      if (file === 'store.db') truncateSync(join(folder, file), 0);
      else flip(join(folder, file), 9_000);
      const before = ['store.db', 'store.db-wal', 'store.db-mark'].map((name) => readFileSync(join(folder, name)));
      expect(await judge(join(folder, 'store.db'))).toBe('refused at opening');
      const after = ['store.db', 'store.db-wal', 'store.db-mark'].map((name) => readFileSync(join(folder, name)));
      expect(after).toEqual(before);
    },
  );

  test('is never altered in silence by damage to its file under the log (R7)', async () => {
    const cut = await survey(killedFolder, 'store.db', 1_013, truncateSync);
    const flipped = await survey(killedFolder, 'store.db', 211, flip);
    expect([cut.altered, flipped.altered]).toEqual([[], []]);
  });

  test('is not refused for a mark that lags behind, is damaged, or belongs to another store', async () => {
    const { altered, counts } = await survey(killedFolder, 'store.db-mark', 1, flip);
    expect(altered).toEqual([]);
    expect(counts['refused at opening']).toBe(0);
    const folder = copyOf(killedFolder);
    const other = openMark(join(folder, 'store.db-mark'), 'x'.repeat(26));
    other.write(1_000_000);
    other.close();
    expect(await judge(join(folder, 'store.db'))).toBe('intact');
  });

  test('without its mark, as after a power loss, a log that lost its end costs whole commits and alters none', async () => {
    const folder = tempFolder('quick');
    const lengths = new Set<number>();
    for (let offset = 0; offset < readFileSync(join(killedFolder, 'store.db-wal')).length; offset += 997) {
      rmSync(folder, { recursive: true, force: true });
      cpSync(killedFolder, folder, { recursive: true });
      rmSync(join(folder, 'store.db-mark'));
      truncateSync(join(folder, 'store.db-wal'), offset);
      const store = sqliteStore({ path: join(folder, 'store.db') });
      let events = 0;
      for (const id of ids) {
        const log = await store.read(id);
        expect(log).toEqual((original[`read ${id}`] as unknown[]).slice(0, log.length));
        expect(log.length % 2).toBe(0); // each commit wrote two
        events += log.length;
      }
      lengths.add(events);
      await store.close();
    }
    expect([...lengths]).toEqual([12, 14, 16, 18, 20, 22]);
  });
});

describe('a record that was changed by hand', () => {
  const changes = {
    'the text of an event': "update event set data = replace(data, 'x', 'y') where seq = 0 and session = 1",
    'the time of an event': 'update event set time = time + 1 where seq = 1 and session = 1',
    'the type of an event': "update event set type = 'turn/ended' where seq = 3 and session = 1",
    'an event that was deleted in the middle': 'delete from event where seq = 3 and session = 1',
    'an event that was deleted at the end': 'delete from event where seq = 7 and session = 1',
    'an event of another session':
      'delete from event where session = 1 and seq = 7; update event set session = 1 where session = 2 and seq = 7',
    'events in another order':
      'update event set seq = 9 where session = 1 and seq = 2; update event set seq = 2 where session = 1 and seq = 3; update event set seq = 3 where session = 1 and seq = 9',
    'one event too many': "insert into event (session, seq, time, type, data, sum) values (1, 8, 0, 'turn/ended', '{}', 0)",
    'the number of events': 'update session set seq = 7 where no = 1',
    'the epoch': 'update session set epoch = 9 where no = 1',
    'what is owed': 'update session set unclaimed = 5 where no = 1',
  };

  test.each(Object.entries(changes))('is refused: %s (R7)', async (_, sql) => {
    const path = join(copyOf(closedFolder), 'store.db');
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    const store = sqliteStore({ path });
    await expect(store.read(sessionId('s1'))).rejects.toMatchObject({ code: 'SESSION_DAMAGED' });
    expect(await store.read(sessionId('s3'))).toEqual(original['read s3']);
    await store.close();
  });
});
