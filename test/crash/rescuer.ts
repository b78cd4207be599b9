/** Rescues one folder after the other, each named on a line of the input, and prints what is left of each as one line of JSON. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { SessionId } from '../../src/sessions/ids.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { type Aftermath, rescue, type StoredSession } from './rescue.ts';

for await (const folder of createInterface({ input: process.stdin })) {
  console.log(
    JSON.stringify(await aftermath(folder).catch((error: unknown) => ({ failure: String((error as Error)?.stack ?? error) }))),
  );
}

async function aftermath(folder: string): Promise<Aftermath> {
  const path = `${folder}/store.db`;
  const lines = (name: string) =>
    existsSync(`${folder}/${name}`) ? readFileSync(`${folder}/${name}`, 'utf8').split('\n').filter(Boolean) : [];
  const store = sqliteStore({ path });
  const rescued = await rescue(store, {
    told: () => undefined,
    effect: (key) => appendFileSync(`${folder}/effects`, `${key}\n`),
  });
  await store.close();
  const ids = sessionIds(path);
  const again = sqliteStore({ path });
  const sessions: StoredSession[] = [];
  for (const id of ids) sessions.push(await storedSession(again, id));
  const pending = await again.pending();
  await again.close();
  return { ...rescued, sessions, pending, told: lines('told'), effects: lines('effects') };
}

/** Every session, also one that no catalog lists: no call of the store tells of those. */
function sessionIds(path: string): SessionId[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare('select id from session order by no').all();
  database.close();
  return rows.map(({ id }) => id as SessionId);
}

async function storedSession(store: SessionStore, id: SessionId): Promise<StoredSession> {
  const head = await store.head(id);
  if (head === undefined) throw new Error(`session ${id} has gone`);
  return { header: head.header, events: await store.read(id) };
}
