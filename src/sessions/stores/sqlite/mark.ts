/**
 * A small file beside the store that says how many commits were acknowledged. SQLite takes a write-ahead log that was cut
 * short, flipped or deleted for one that a crash left unfinished, and goes on without the lost commits in silence. The mark
 * is written after each commit without a sync, so it can lag behind (after a power loss, or when two processes write it out
 * of turn) but never runs ahead: a store that holds fewer commits than its mark has lost some.
 */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

export interface CommitMark {
  write(commits: number): void;
  close(): void;
}

const identityBytes = 26;
const markBytes = identityBytes + 8 + 4;

/** Whose commits were acknowledged and how many. Undefined if there is no mark that can be read. */
export function readMark(path: string): { identity: string; commits: number } | undefined {
  const mark = Buffer.alloc(markBytes);
  try {
    const file = openSync(path, 'r');
    try {
      if (readSync(file, mark, 0, markBytes, 0) !== markBytes) return undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined; // no mark, or none that can be read: it proves nothing
  }
  if (crc32(mark.subarray(0, markBytes - 4)) !== mark.readUInt32LE(markBytes - 4)) return undefined;
  return { identity: mark.toString('latin1', 0, identityBytes), commits: mark.readDoubleLE(identityBytes) };
}

/** `identity` is an id of 26 characters. Opening may throw a system error; a write that fails only leaves the mark behind. */
export function openMark(path: string, identity: string): CommitMark {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  const mark = Buffer.alloc(markBytes);
  mark.write(identity, 'latin1');
  return {
    write(commits) {
      mark.writeDoubleLE(commits, identityBytes);
      mark.writeUInt32LE(crc32(mark.subarray(0, markBytes - 4)), markBytes - 4);
      try {
        writeSync(file, mark, 0, markBytes, 0);
      } catch {
        // A full or failing disk. The commit is safe without it, and the next one tries again.
      }
    },
    close: () => closeSync(file),
  };
}
