import { SubagentError } from '../errors.ts';

/** Bytes of the longest path of Linux, its closing NUL left out (PATH_MAX, limits.h). */
const pathBytesMax = 4_095;

/** A text that can name a directory. Throws `INVALID_ARGUMENT`. Whether there is one is not asked. */
export function checkedPath(cwd: unknown): string {
  if (typeof cwd === 'string' && cwd !== '' && !cwd.includes('\0') && Buffer.byteLength(cwd) <= pathBytesMax) return cwd;
  throw new SubagentError('INVALID_ARGUMENT', `cwd is a path of at most ${pathBytesMax} bytes, without NUL`);
}
