/** Goes through a part of the tree in the order of names. Links are seen, never followed. */
import { type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { posix } from 'node:path';
import { decodeName } from './names.ts';
import { isSkipped, type Location, Refusal, reasonOf, type Workspace } from './workspace.ts';

/** `direct`: the files of a directory itself. `all`: those below it too. */
export type Scope = 'direct' | 'all';

export type Entry =
  | (Location & { readonly kind: 'file' })
  | (Location & { readonly kind: 'directory' })
  | (Location & { readonly kind: 'symlink'; readonly target: string })
  | (Location & { readonly kind: 'special'; readonly what: string })
  | { readonly kind: 'skipped'; readonly path: string }
  | { readonly kind: 'unreadable'; readonly path: string; readonly reason: string };

/** Every entry below `paths`, each once though paths repeat or contain each other. */
export function* walk(workspace: Workspace, paths: readonly unknown[], scope: Scope): Generator<Entry> {
  for (const start of startsOf(workspace, paths, scope)) yield* walkFrom(start, scope);
}

/** What the paths name, without repeats and, in scope `all`, without what lies below another. What is gone is `unreadable`. */
export function startsOf(workspace: Workspace, paths: readonly unknown[], scope: Scope): Entry[] {
  const starts = paths.map((path): Entry => {
    try {
      return inspect(workspace.locate(path));
    } catch (error) {
      if (error instanceof Refusal && error.cause !== undefined) {
        return { kind: 'unreadable', path: String(path), reason: reasonOf(error.cause) };
      }
      throw error;
    }
  });
  return withoutRepeats(starts, scope);
}

/** The entries below a directory, itself left out; anything else is itself. */
export function* walkFrom(start: Entry, scope: Scope): Generator<Entry> {
  if (start.kind === 'directory') yield* walkDirectory(start, scope);
  else yield start;
}

/** The entries of one directory. If it cannot be listed, one `unreadable` entry that stands for it. */
export function* listEntries(directory: Location): Generator<Entry> {
  let dirents: Dirent<Buffer>[];
  try {
    dirents = readdirSync(directory.absolute, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    yield { kind: 'unreadable', path: directory.path, reason: reasonOf(error) };
    return;
  }
  const named = dirents.map((dirent) => ({ dirent, name: decodeName(dirent.name) }));
  named.sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const { dirent, name } of named) {
    const path = directory.path === '.' ? name : `${directory.path}/${name}`;
    if (isSkipped(name)) yield { kind: 'skipped', path };
    else yield toEntry({ path, absolute: joinBytes(directory.absolute, dirent.name) }, dirent);
  }
}

/** What a location is now. It was reached through `locate`, so it is no link itself. */
export function inspect(location: Location): Entry {
  try {
    return toEntry(location, lstatSync(location.absolute));
  } catch (error) {
    return { kind: 'unreadable', path: location.path, reason: reasonOf(error) };
  }
}

function* walkDirectory(start: Location, scope: Scope): Generator<Entry> {
  const open = [listEntries(start)];
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const next = last.next();
    if (next.done) {
      open.pop();
      continue;
    }
    yield next.value;
    if (next.value.kind === 'directory' && scope === 'all') open.push(listEntries(next.value));
  }
}

function withoutRepeats(starts: readonly Entry[], scope: Scope): Entry[] {
  const places = starts.map((start) => `${'absolute' in start ? decodeName(start.absolute) : start.path}/`);
  return starts.filter((_, index) => {
    const own = places[index] ?? '';
    return !places.some((other, at) => (other === own ? at < index : scope === 'all' && own.startsWith(other)));
  });
}

type Kinds = Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isFIFO' | 'isSocket'>;

function toEntry(location: Location, kinds: Kinds): Entry {
  if (kinds.isFile()) return { kind: 'file', ...location };
  if (kinds.isDirectory()) return { kind: 'directory', ...location };
  if (kinds.isSymbolicLink()) return { kind: 'symlink', target: targetOf(location), ...location };
  return { kind: 'special', what: kinds.isFIFO() ? 'pipe' : kinds.isSocket() ? 'socket' : 'device', ...location };
}

/** Where a link points in words for a report: inside the folder as a path, else only that it leaves or is broken. */
function targetOf(link: Location): string {
  try {
    const target = decodeName(readlinkSync(link.absolute, { encoding: 'buffer' }));
    if (target.startsWith('/')) return 'an absolute path';
    const inside = posix.join(posix.dirname(link.path), target);
    return inside === '..' || inside.startsWith('../') ? 'outside the folder' : inside;
  } catch (error) {
    return reasonOf(error);
  }
}

function joinBytes(directory: Buffer, name: Buffer): Buffer {
  return directory.at(-1) === 0x2f ? Buffer.concat([directory, name]) : Buffer.concat([directory, Buffer.from('/'), name]);
}
