/** How much there is: files, lines and bytes, by type and by path, and what could not be measured. */
import { countFile } from './contents.ts';
import { fileType } from './file-type.ts';
import { type Noted, noteList } from './noted.ts';
import { createPace } from './pace.ts';
import { type Entry, type Scope, startsOf, walkFrom } from './walk.ts';
import { reasonOf, type Workspace } from './workspace.ts';

export interface Size {
  readonly files: number;
  readonly lines: number;
  readonly bytes: number;
}

export interface Measured extends Size {
  readonly directories: number;
  readonly binaryFiles: number;
  /** Largest first. */
  readonly types: readonly (Size & { readonly type: string })[];
  /** One row for each path that was asked for, repeats left out. */
  readonly byPath: readonly (Size & { readonly path: string })[];
  /** The largest files. */
  readonly largest: readonly { readonly path: string; readonly lines: number; readonly bytes: number }[];
  /** Counted in `files`, but not in `lines` and `bytes`; also directories that could not be listed. */
  readonly unreadable: Noted<{ readonly path: string; readonly reason: string }>;
  readonly symlinks: Noted<{ readonly path: string; readonly target: string }>;
  readonly special: Noted<{ readonly path: string; readonly what: string }>;
  /** Too large for their lines to be counted. */
  readonly uncounted: Noted<{ readonly path: string; readonly bytes: number }>;
  readonly skipped: Noted<{ readonly path: string }>;
}

export interface MeasureRequest {
  readonly paths: readonly unknown[];
  readonly scope: Scope;
  readonly largestMax: number;
}

const notesMax = 20;

export async function measure(workspace: Workspace, request: MeasureRequest, signal: AbortSignal): Promise<Measured> {
  const pace = createPace(signal);
  const tally = createTally(request.largestMax);
  for (const start of startsOf(workspace, request.paths, request.scope)) {
    tally.startPath(start.path);
    for (const entry of walkFrom(start, request.scope)) {
      await pace();
      if (entry.kind === 'file') await tally.addFile(entry, pace);
      else tally.addOther(entry);
    }
  }
  return tally.read();
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

function createTally(largestMax: number) {
  const total: Writable<Size> & { directories: number; binaryFiles: number } = emptyTotal();
  const types = new Map<string, Writable<Size> & { type: string }>();
  const byPath: (Writable<Size> & { path: string })[] = [];
  const largest: { path: string; lines: number; bytes: number }[] = [];
  const unreadable = noteList<{ path: string; reason: string }>(notesMax);
  const symlinks = noteList<{ path: string; target: string }>(notesMax);
  const special = noteList<{ path: string; what: string }>(notesMax);
  const uncounted = noteList<{ path: string; bytes: number }>(notesMax);
  const skipped = noteList<{ path: string }>(notesMax);

  function startPath(path: string) {
    byPath.push({ path, files: 0, lines: 0, bytes: 0 });
  }

  async function addFile(entry: Extract<Entry, { kind: 'file' }>, pace: () => Promise<void> | undefined) {
    const type = fileType(entry.path);
    let bytes = 0;
    let lines = 0;
    try {
      const counted = await countFile(entry, pace);
      bytes = counted.bytes;
      lines = counted.lines ?? 0;
      if (counted.lines === undefined) uncounted.add({ path: entry.path, bytes });
      if (counted.isBinary) total.binaryFiles++;
      keepLargest(largest, { path: entry.path, lines, bytes }, largestMax);
    } catch (error) {
      unreadable.add({ path: entry.path, reason: reasonOf(error) });
    }
    const row = types.get(type) ?? { type, files: 0, lines: 0, bytes: 0 };
    types.set(type, row);
    for (const sum of [total, row, ...byPath.slice(-1)]) {
      sum.files++;
      sum.lines += lines;
      sum.bytes += bytes;
    }
  }

  function addOther(entry: Exclude<Entry, { kind: 'file' }>) {
    const { path } = entry;
    if (entry.kind === 'directory') total.directories++;
    else if (entry.kind === 'symlink') symlinks.add({ path, target: entry.target });
    else if (entry.kind === 'special') special.add({ path, what: entry.what });
    else if (entry.kind === 'unreadable') unreadable.add({ path, reason: entry.reason });
    else skipped.add({ path });
  }

  function read(): Measured {
    return {
      ...total,
      types: [...types.values()].sort((left, right) => right.bytes - left.bytes || (left.type < right.type ? -1 : 1)),
      byPath,
      largest,
      unreadable: unreadable.read(),
      symlinks: symlinks.read(),
      special: special.read(),
      uncounted: uncounted.read(),
      skipped: skipped.read(),
    };
  }

  return { startPath, addFile, addOther, read };
}

function emptyTotal() {
  return { files: 0, lines: 0, bytes: 0, directories: 0, binaryFiles: 0 };
}

/** Keeps `list` sorted, the largest first, equals in order of arrival. */
function keepLargest<Item extends { bytes: number }>(list: Item[], item: Item, max: number): void {
  const at = list.findIndex(({ bytes }) => bytes < item.bytes);
  if (at >= 0) list.splice(at, 0, item);
  else list.push(item);
  if (list.length > max) list.pop();
}
