import { randomFillSync } from 'node:crypto';

/** Mints identifiers. They are never reused and cannot be guessed. */
export interface Ids {
  /** 26 characters of `[a-z0-9]`. */
  next(): string;
}

const alphabet = Buffer.from('abcdefghijklmnopqrstuvwxyz234567', 'latin1');
const idLength = 26;
const poolIds = 512;

/** 130 random bits an id, from the operating system, fetched in blocks because one call a piece costs more than the rest of a start. */
export function randomIds(): Ids {
  const pool = Buffer.alloc(idLength * poolIds);
  let used = pool.length;
  return {
    next() {
      if (used === pool.length) {
        fillWithCharacters(pool);
        used = 0;
      }
      used += idLength;
      // one flat string: an id put together character by character would hold 32 bytes for each as long as it lives
      return pool.toString('latin1', used - idLength, used);
    },
  };
}

function fillWithCharacters(pool: Uint8Array): void {
  randomFillSync(pool);
  for (let index = 0; index < pool.length; index++) pool[index] = alphabet[(pool[index] ?? 0) & 31] ?? 0;
}
