/** `troupe ls`: the sessions of a folder, from the database alone. */
import type { SessionHead, SessionStore } from '../../src/index.ts';
import { errorCode, toSessionId } from '../../src/index.ts';
import type { Command } from '../arguments.ts';
import { exitCodes } from '../exit.ts';
import { openFolder } from '../folder.ts';
import type { Io } from '../io.ts';
import { openExistingDatabase } from '../sessions/database.ts';
import { orphansIn, readLog, standingOf, taskOf } from '../sessions/standing.ts';
import { printable } from '../terminal/printable.ts';
import { timeText } from '../terminal/time.ts';

type LsCommand = Extract<Command, { name: 'ls' }>;

export async function lsCommand(command: LsCommand, io: Io): Promise<number> {
  const { root } = openFolder(command.folder);
  const store = openExistingDatabase(root);
  if (store === undefined) {
    io.screen.write('no sessions here yet\n');
    return exitCodes.ok;
  }
  try {
    const listing = { store, orphans: await orphansIn(store), isDeep: command.tree };
    const rows: Row[] = [];
    for (const head of await store.roots()) rows.push(...(await rowsOf(listing, head, head.header.cwd, 0)));
    if (rows.length === 0) io.screen.write('no sessions here yet\n');
    else await io.out(tableText(rows));
  } finally {
    await store.close();
  }
  return exitCodes.ok;
}

interface Row {
  readonly id: string;
  readonly time: string;
  readonly standing: string;
  readonly children: number;
  readonly label: string;
  readonly depth: number;
}

interface Listing {
  readonly store: SessionStore;
  readonly orphans: ReadonlySet<string>;
  readonly isDeep: boolean;
}

/** Depth is bounded by the runtime's limit; a log that says otherwise is not followed further. */
const depthMax = 64;

async function rowsOf(listing: Listing, head: SessionHead, label: string, depth: number): Promise<Row[]> {
  const { store, orphans, isDeep } = listing;
  const { header } = head;
  const events = await readLog(store, head);
  const children = events === undefined ? [] : await store.children(header.id);
  const question = events === undefined || depth > 0 ? undefined : taskOf(events)?.question;
  const row: Row = {
    id: header.id,
    time: timeText(header.createdAt),
    standing: events === undefined ? 'damaged' : standingOf(events, header, orphans),
    children: children.length,
    label: question === undefined ? label : `${label} “${question}”`,
    depth,
  };
  if (!isDeep || depth >= depthMax) return [row];
  const below: Row[] = [];
  for (const { data } of children) {
    const child = await sessionOf(store, data);
    const childLabel = data.label ?? data.id;
    if (child !== undefined) below.push(...(await rowsOf(listing, child, childLabel, depth + 1)));
    else
      below.push({
        ...row,
        id: data.id,
        time: timeText(data.createdAt),
        standing: printable(data.mode, 40),
        children: 0,
        label: childLabel,
        depth: depth + 1,
      });
  }
  return [row, ...below];
}

/** Undefined for a child without a session of ours: the id of an external one is its backend's and need not look like ours. */
async function sessionOf(store: SessionStore, { id, mode }: { id: string; mode: string }): Promise<SessionHead | undefined> {
  if (mode === 'external') return undefined;
  try {
    return await store.head(toSessionId(id));
  } catch (error) {
    if (errorCode(error) === 'INVALID_ARGUMENT') return undefined;
    throw error;
  }
}

function tableText(rows: readonly Row[]): string {
  const lines = rows.map(({ id, time, standing, children, label, depth }) => {
    const count = `${children} ${children === 1 ? 'child' : 'children'}`;
    return `${printable(id, 64).padEnd(26)}  ${time}  ${standing.padEnd(11)}  ${count.padEnd(12)}  ${'  '.repeat(depth)}${printable(label, 120)}`;
  });
  return `${lines.join('\n')}\n`;
}
