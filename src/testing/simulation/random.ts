/** Chance from a seed. Streams of one seed do not disturb each other: taking a draw out of one leaves the others as they were. */

export class Random {
  readonly #seed: number;
  #state: number;

  constructor(seed: number) {
    this.#seed = seed >>> 0;
    this.#state = scramble(this.#seed);
  }

  /** A stream of its own, the same for the same seed and name. */
  stream(name: string | number): Random {
    let hash = this.#seed ^ 0x9e3779b9;
    for (const character of String(name)) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
    return new Random(scramble(hash));
  }

  /** In [0, 1). mulberry32, public domain, by Tommy Ettinger. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** True with the probability `share`. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** Throws a `RangeError` for an empty list. */
  pick<Value>(values: readonly Value[]): Value {
    if (values.length === 0) throw new RangeError('there is nothing to pick from');
    return values[this.below(values.length)] as Value;
  }
}

function scramble(seed: number): number {
  let mixed = seed >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
