/** What changes in a part of the tree, by the time that the system keeps of the last change of each entry. */
import { lstatSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Noted, noteList } from './noted.ts';
import { createPace } from './pace.ts';
import { type Entry, startsOf, walkFrom } from './walk.ts';
import type { Workspace } from './workspace.ts';

export interface Changes {
  /** When this look began, in milliseconds since 1970: where the next one goes on. */
  readonly at: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** Files that were made or changed since then, and directories in which something was made, renamed or removed. */
  readonly changed: Noted<string>;
}

export interface ChangesRequest {
  readonly paths: readonly unknown[];
  /** Milliseconds since 1970; absent: only the time is told. */
  readonly since: number | undefined;
  /** How long to wait before looking, in milliseconds. */
  readonly waitMs: number;
}

export const waitMsMax = 60_000;
const changedMax = 50;

/** Rejects with the signal's reason as soon as it fires. */
export async function findChanges(
  workspace: Workspace,
  { paths, since, waitMs }: ChangesRequest,
  signal: AbortSignal,
): Promise<Changes> {
  if (waitMs > 0) await setTimeout(waitMs, undefined, { signal });
  const pace = createPace(signal);
  const at = Date.now();
  const changed = noteList<string>(changedMax);
  for (const start of since === undefined ? [] : startsOf(workspace, paths, 'all')) {
    if (start.kind === 'directory' && changedAt(start) > Number(since)) changed.add(start.path);
    for (const entry of walkFrom(start, 'all')) {
      await pace();
      if (changedAt(entry) > Number(since)) changed.add(entry.path);
    }
  }
  return { at, ms: Date.now() - at, changed: changed.read() };
}

/** 0 for what is left out, and for what has gone meanwhile: its directory has changed then. */
function changedAt(entry: Entry): number {
  try {
    return 'absolute' in entry ? lstatSync(entry.absolute).ctimeMs : 0;
  } catch {
    // Gone, or not to be read: `measure_tree` says which.
    return 0;
  }
}
