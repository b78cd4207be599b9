/**
 * Writes to a store on a small disk until it is full, makes room, and writes again. Run with the folder of that disk; prints
 * what was seen as JSON. See sqlite-full-disk.test.ts.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../src/errors.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { header, inserted, sessionId } from './samples.ts';

export interface FullDiskReport {
  /** What opening, or the first call that failed, said. */
  readonly refusal: string;
  readonly acknowledged: number;
  /** Events that were read back while the disk was full; undefined if the store could not be opened. */
  readonly readWhileFull: unknown;
  /** What an append said after room had been made. */
  readonly afterwards: unknown;
  readonly readAfterReopening: number;
}

const id = sessionId('s1');
const [folder = '', textLength = '1000'] = process.argv.slice(2);
const ballast = join(folder, 'ballast');
const path = join(folder, 'store.db');
console.log(JSON.stringify(await run()));

async function run(): Promise<FullDiskReport> {
  writeFileSync(ballast, 'x'.repeat(256 * 1024));
  const { refusal, acknowledged, store, readWhileFull } = await fill();
  rmSync(ballast);
  const open = store ?? sqliteStore({ path });
  if ((await open.head(id)) === undefined) await open.create(header('s1'), 'a', []);
  const afterwards = await append(open, acknowledged).then(() => 'written', code);
  await open.close();
  const again = sqliteStore({ path });
  const readAfterReopening = (await again.read(id)).length;
  await again.close();
  return { refusal, acknowledged, readWhileFull, afterwards, readAfterReopening };
}

async function fill(): Promise<{ refusal: string; acknowledged: number; store?: SessionStore; readWhileFull?: unknown }> {
  let acknowledged = 0;
  let store: SessionStore | undefined;
  try {
    store = sqliteStore({ path });
    await store.create(header('s1'), 'a', []);
    for (; acknowledged < 100_000; acknowledged++) await append(store, acknowledged);
    return { refusal: 'none', acknowledged, store };
  } catch (error) {
    const refusal = code(error);
    if (store === undefined) return { refusal, acknowledged };
    return { refusal, acknowledged, store, readWhileFull: await store.read(id).then((log) => log.length, code) };
  }
}

function append(store: SessionStore, seq: number): Promise<void> {
  return store.append(id, { seq, epoch: 1 }, [inserted(`m${seq}`, { text: 'x'.repeat(Number(textLength)) })]);
}

function code(error: unknown): string {
  return errorCode(error) ?? String(error);
}
