/**
 * Orders of microtasks from a seed: every `hops()` waits for some of them, and a shuffled store answers each call after some.
 * Calls for one session still take effect in the order of their issue, as every store promises.
 */
import type { SessionStore } from '../../src/sessions/store.ts';
import { memoryStore } from '../../src/sessions/stores/memory.ts';

/** Waits for 0 to `most` (default 6) turns of the microtask queue. */
export type Hops = (most?: number) => Promise<void>;

export function shuffler(seed: number): Hops {
  const random = randomFrom(seed);
  return async (most = 6) => {
    for (let left = Math.floor(random() * (most + 1)); left > 0; left--) await undefined;
  };
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = (seed * 0x9e3779b1 + 1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function shuffledStore(hops: Hops, inner: SessionStore = memoryStore()): SessionStore {
  return new Proxy(inner, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      // it takes effect at once, so that the order of issue is kept; only the answer is late
      return (...given: unknown[]) => {
        const answer = Reflect.apply(value, target, given) as Promise<unknown>;
        return hops().then(() => answer);
      };
    },
  });
}
