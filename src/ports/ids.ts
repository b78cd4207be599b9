import { randomFillSync } from 'node:crypto';

/** Mints identifiers. They are never reused and cannot be guessed. */
export interface Ids {
  /** 26 characters of `[a-z0-9]`. */
  next(): string;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const idLength = 26;
const poolIds = 512;

/** 130 random bits an id, from the operating system, fetched in blocks because one call a piece costs more than the rest of a start. */
export function randomIds(): Ids {
  const pool = new Uint8Array(idLength * poolIds);
  let used = pool.length;
  return {
    next() {
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      let id = '';
      for (let index = 0; index < idLength; index++) id += alphabet.charAt((pool[used++] ?? 0) & 31);
      return id;
    },
  };
}
