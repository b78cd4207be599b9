/** What is in one directory, and how many files lie below each of its directories. */
import { createPace } from './pace.ts';
import { type Entry, inspect, listEntries, walk } from './walk.ts';
import { Refusal, type Workspace } from './workspace.ts';

export interface Listing {
  readonly path: string;
  readonly directories: readonly { readonly name: string; readonly filesBelow: number }[];
  readonly files: readonly string[];
  readonly others: readonly { readonly name: string; readonly what: string }[];
  /** Left out of these lists because there are more than fit. */
  readonly omitted: { readonly directories: number; readonly files: number; readonly others: number };
  readonly skipped: readonly string[];
}

const directoriesMax = 2_000;
const filesMax = 300;
const othersMax = 50;

export async function listDirectory(workspace: Workspace, path: unknown, signal: AbortSignal): Promise<Listing> {
  const directory = inspect(workspace.locate(path));
  if (directory.kind !== 'directory') throw new Refusal('this path is no directory; read_file reads files');
  const pace = createPace(signal);
  const directories: { name: string; filesBelow: number }[] = [];
  const files: string[] = [];
  const others: { name: string; what: string }[] = [];
  const skipped: string[] = [];
  for (const entry of listEntries(directory)) {
    await pace();
    const name = nameOf(entry.path);
    if (entry.kind === 'unreadable') throw new Refusal(`this directory cannot be listed: ${entry.reason}`);
    if (entry.kind === 'directory') directories.push({ name, filesBelow: await countBelow(workspace, entry.path, pace) });
    else if (entry.kind === 'file') files.push(name);
    else if (entry.kind === 'skipped') skipped.push(name);
    else others.push({ name, what: whatOf(entry) });
  }
  return {
    path: directory.path,
    directories: directories.slice(0, directoriesMax),
    files: files.slice(0, filesMax),
    others: others.slice(0, othersMax),
    omitted: {
      directories: Math.max(0, directories.length - directoriesMax),
      files: Math.max(0, files.length - filesMax),
      others: Math.max(0, others.length - othersMax),
    },
    skipped,
  };
}

async function countBelow(workspace: Workspace, path: string, pace: () => Promise<void> | undefined): Promise<number> {
  let files = 0;
  for (const entry of walk(workspace, [path], 'all')) {
    await pace();
    if (entry.kind === 'file') files++;
  }
  return files;
}

function whatOf(entry: Extract<Entry, { kind: 'symlink' | 'special' }>): string {
  return entry.kind === 'symlink' ? `symbolic link to ${entry.target}` : entry.what;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
