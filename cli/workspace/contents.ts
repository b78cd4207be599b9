/** The contents of regular files, within bounds. Nothing else is ever opened: a pipe would hang, a device may act. */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import type { Location } from './workspace.ts';

/** Beyond this a file's lines are not counted and it is not searched. */
export const countedBytesMax = 256 * 1024 * 1024;
export const searchedBytesMax = 4 * 1024 * 1024;
/** A NUL in the first 8,000 bytes makes a file binary, as git judges it. */
const binaryProbeBytes = 8_000;
const chunkBytes = 256 * 1024;
const newline = 0x0a;

const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

export interface Counted {
  readonly bytes: number;
  /** Newline bytes, as `wc -l` counts, in binary files too. Undefined beyond `countedBytesMax`. */
  readonly lines: number | undefined;
  readonly isBinary: boolean;
}

/** `pace` is awaited between chunks. Throws the system's error if the file cannot be read. */
export async function countFile(file: Location, pace: () => Promise<void> | undefined): Promise<Counted> {
  const { descriptor, bytes } = openRegular(file);
  try {
    const chunk = Buffer.allocUnsafe(Math.min(bytes, chunkBytes));
    let position = 0;
    let lines = 0;
    let isBinary = false;
    const isCounted = bytes <= countedBytesMax;
    while (position < (isCounted ? bytes : chunk.length)) {
      const read = readSync(descriptor, chunk, 0, Math.min(chunk.length, bytes - position), position);
      if (read === 0) break;
      const view = chunk.subarray(0, read);
      if (position === 0) isBinary = looksBinary(view);
      lines += newlinesIn(view);
      position += read;
      if (position < bytes) await pace();
    }
    return { bytes, lines: isCounted ? lines : undefined, isBinary };
  } finally {
    closeSync(descriptor);
  }
}

export interface Head {
  /** The size of the whole file. */
  readonly bytes: number;
  /** Its first bytes as text; undefined if it is binary. */
  readonly text: string | undefined;
  readonly isCut: boolean;
}

/** At most `bytesMax` bytes from the start. Bytes that are not UTF-8 become U+FFFD. */
export function readHead(file: Location, bytesMax: number): Head {
  const { descriptor, bytes } = openRegular(file);
  try {
    const buffer = Buffer.allocUnsafe(Math.min(bytes, bytesMax));
    let filled = 0;
    while (filled < buffer.length) {
      const read = readSync(descriptor, buffer, filled, buffer.length - filled, filled);
      if (read === 0) break;
      filled += read;
    }
    const view = buffer.subarray(0, filled);
    return { bytes, text: looksBinary(view) ? undefined : view.toString('utf8'), isCut: filled < bytes };
  } finally {
    closeSync(descriptor);
  }
}

/**
 * What is read is a regular file at the place that was checked: a directory above that was exchanged for a link meanwhile
 * shows in the second look. The size is that of this moment, so a file that grows is not read for ever.
 */
function openRegular(file: Location): { descriptor: number; bytes: number } {
  const descriptor = openSync(file.absolute, openFlags);
  try {
    const stats = fstatSync(descriptor);
    const real = realpathSync.native(file.absolute, { encoding: 'buffer' });
    if (!stats.isFile() || !real.equals(file.absolute)) throw Object.assign(new Error('moved'), { code: 'EMOVED' });
    return { descriptor, bytes: stats.size };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function looksBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, binaryProbeBytes).includes(0);
}

function newlinesIn(bytes: Buffer): number {
  let count = 0;
  for (let index = 0; index < bytes.length; index++) if (bytes[index] === newline) count++;
  return count;
}
