/**
 * One folder that tools may read, and nothing outside it. Whoever names a path may be a model, so nothing in it is trusted.
 *
 * I1  A path leads to its target only if the target, every symbolic link followed, lies inside the folder.
 * I2  `.git`, `node_modules` and `.troupe` are out of bounds at every level, also through a link.
 */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { decodeName, encodeName } from './names.ts';

/** Entries of these names are left out, whatever they are. */
export const skippedNames: readonly string[] = ['.git', 'node_modules', '.troupe'];

/** The same set of files for `find`, run inside the folder. */
export const findCommand = `find . \\( ${skippedNames.map((name) => `-name ${name}`).join(' -o ')} \\) -prune -o -type f -print0`;

/**
 * A path or request that a tool does not serve. The message is for the model and names no place outside the folder. `cause`
 * is set if it was the system that refused.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

export interface Location {
  /** From the folder, with `/`; `.` is the folder. */
  readonly path: string;
  /** Where it really is, as the system's bytes. */
  readonly absolute: Buffer;
}

export interface Workspace {
  /** Real and absolute. */
  readonly root: string;
  /** Throws `Refusal` unless the path names something inside. */
  locate(path: unknown): Location;
}

/** Throws the system's error if the folder is missing, is none, or cannot be listed. */
export function openWorkspace(folder: string): Workspace {
  const root = realpathSync.native(folder);
  if (!statSync(root).isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
  accessSync(root, constants.R_OK | constants.X_OK);
  return { root, locate: (path) => locate(root, path) };
}

export function isSkipped(name: string): boolean {
  return skippedNames.includes(name);
}

function locate(root: string, path: unknown): Location {
  const inside = toInnerPath(path);
  const absolute = realPath(encodeName(posix.join(root, inside)), inside);
  const real = decodeName(absolute);
  const prefix = root.endsWith('/') ? root : `${root}/`;
  if (real !== root && !real.startsWith(prefix)) throw new Refusal(`${quote(inside)} leads out of the folder`);
  refuseSkipped(real.slice(prefix.length), inside);
  return { path: inside, absolute };
}

function toInnerPath(path: unknown): string {
  if (typeof path !== 'string' || path === '') throw new Refusal('a path is a text that is not empty; "." is the folder');
  if (path.includes('\0')) throw new Refusal('a path has no NUL character');
  const plain = process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
  const isAbsolute = plain.startsWith('/') || (process.platform === 'win32' && /^[a-z]:/i.test(plain));
  if (isAbsolute) throw new Refusal('paths are relative to the folder; absolute ones are not served');
  const normal = posix.normalize(plain).replace(/\/$/, '') || '.';
  if (normal === '..' || normal.startsWith('../')) throw new Refusal(`${quote(path)} leads out of the folder`);
  refuseSkipped(normal, normal);
  return normal;
}

function refuseSkipped(path: string, asked: string): void {
  const skipped = path.split('/').find(isSkipped);
  if (skipped !== undefined) throw new Refusal(`${quote(asked)} is left out: ${skipped} is not read`);
}

function realPath(absolute: Buffer, asked: string): Buffer {
  try {
    return realpathSync.native(absolute, { encoding: 'buffer' });
  } catch (error) {
    throw new Refusal(`${quote(asked)} cannot be reached: ${reasonOf(error)}`, { cause: error });
  }
}

/** The reason of a system error in words; never a path. */
export function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ENOENT':
      return 'it does not exist';
    case 'ENOTDIR':
      return 'it is not a directory';
    case 'ELOOP':
      return 'it is a symbolic link, or a circle of them';
    default:
      return typeof code === 'string' ? code : 'it failed';
  }
}

/** A path in an error message: on one line, and not long. */
export function quote(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}
