/** Ways to damage a file. Each takes the bytes and gives other bytes; the file is never changed in place. */

import { noteFigure } from '../support/figures.ts';

export type Damage = (bytes: Buffer) => Buffer;
export type NamedDamage = readonly [name: string, damage: Damage];

const figures = [
  [/^cut off/, 'cuts'],
  [/^bit .* flipped$/, 'flips'],
  [/bytes of NUL at/, 'nulRuns'],
] as const;

/** Counts damages that the store has seen, all of them, by their names. */
export function noteDamages(names: readonly string[]): void {
  for (const [pattern, figure] of figures) noteFigure(figure, names.filter((name) => pattern.test(name)).length);
  noteFigure('brokenPieces', names.filter((name) => figures.every(([pattern]) => !pattern.test(name))).length);
  noteFigure('altered', 0); // one that was altered in silence fails its test
}

/** Bytes of a page of the database, and of a frame of its write-ahead log with the header before it (fileformat2.html). */
export const pageBytes = 4_096;
export const logHeaderBytes = 32;
export const frameBytes = pageBytes + 24;

export function cutAt(offset: number): Damage {
  return (bytes) => bytes.subarray(0, offset);
}

export function flippedAt(offset: number, bit: number): Damage {
  return (bytes) => {
    const copy = Buffer.from(bytes);
    copy[offset] = (copy[offset] ?? 0) ^ (1 << bit);
    return copy;
  };
}

/** NUL bytes, as a crash of a file system leaves them. */
export function zeroedAt(offset: number, length: number): Damage {
  return (bytes) => Buffer.from(bytes).fill(0, offset, Math.min(bytes.length, offset + length));
}

export function randomAt(offset: number, length: number, random: () => number): Damage {
  return (bytes) => {
    const copy = Buffer.from(bytes);
    for (let index = offset; index < Math.min(copy.length, offset + length); index++) copy[index] = Math.floor(random() * 256);
    return copy;
  };
}

/** Pieces of one size that begin at `first`: pages of a database, or frames of a log. */
export interface Pieces {
  readonly first: number;
  readonly size: number;
}

export function countOf({ first, size }: Pieces, bytes: Buffer): number {
  return Math.floor((bytes.length - first) / size);
}

function piece({ first, size }: Pieces, bytes: Buffer, index: number): Buffer {
  return bytes.subarray(first + index * size, first + (index + 1) * size);
}

/** Everything that can become of whole pieces: `at` and the one `other` are exchanged, doubled, lost or come twice. */
export function pieceDamages(pieces: Pieces, at: number, other: number): Readonly<Record<string, Damage>> {
  const end = (index: number) => pieces.first + (index + 1) * pieces.size;
  const start = (index: number) => pieces.first + index * pieces.size;
  return {
    removed: (bytes) => Buffer.concat([bytes.subarray(0, start(at)), bytes.subarray(end(at))]),
    'come twice': (bytes) => Buffer.concat([bytes.subarray(0, end(at)), bytes.subarray(start(at))]),
    zeroed: (bytes) => zeroedAt(start(at), pieces.size)(bytes),
    'written over another': (bytes) => {
      const copy = Buffer.from(bytes);
      piece(pieces, bytes, at).copy(copy, start(other));
      return copy;
    },
    'exchanged with another': (bytes) => {
      const copy = Buffer.from(bytes);
      piece(pieces, bytes, at).copy(copy, start(other));
      piece(pieces, bytes, other).copy(copy, start(at));
      return copy;
    },
  };
}
