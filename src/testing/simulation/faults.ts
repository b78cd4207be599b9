/** What can go wrong, kind by kind. Each run has some of the kinds and not the others, so that rare combinations come up. */
import type { Random } from './random.ts';

export const faultKinds = [
  /** A process, or the power of all, goes with writes that no sync has reached. */
  'crash-before-sync',
  /** It goes while the disk is syncing: a beginning of what was written is on it. */
  'crash-during-sync',
  /** It goes when all is on disk and nobody has been told. */
  'crash-after-sync',
  /** The power takes what was not synced with it. */
  'unsynced-dropped',
  /** A beginning of it stays, cut off within a record. */
  'unsynced-torn',
  /** A record in it is not what was written. */
  'unsynced-corrupted',
  /** The disk takes a part of a write and is full. */
  'disk-full',
  /** A sync fails: what it was to bring to the disk may be lost, and a second one would say nothing of it. */
  'sync-failed',
  'slow-disk',
  /** A child's process ends, or its loop fails, in the middle of its work. */
  'child-exits',
  /** A child does nothing more, and does not hear that it is to stop. */
  'child-hangs',
  'duplicate-reply',
  /** A child goes on after it was told to stop. */
  'reply-after-cancel',
  /** The clock on the wall is set, forwards or back. */
  'clock-jump',
  /** What a child holds is given back late, or not at all. */
  'bad-disposal',
  /** A second process works on the same store, and either can stand still for longer than its lease. */
  'second-host',
] as const;

export type FaultKind = (typeof faultKinds)[number];

/** Which kinds a run has, how often each strikes, and the chance with which it does. */
export class Faults {
  readonly kinds: ReadonlySet<FaultKind>;
  /** False from the moment on from which nothing goes wrong any more. */
  isOn = true;
  /** How often each kind struck. */
  readonly struck = new Map<FaultKind, number>();
  readonly #streams = new Map<FaultKind, Random>();
  readonly #random: Random;

  constructor(random: Random, kinds: Iterable<FaultKind>) {
    this.#random = random;
    this.kinds = new Set(kinds);
  }

  has(kind: FaultKind): boolean {
    return this.isOn && this.kinds.has(kind);
  }

  /** Whether the kind strikes here, with the probability `share`. */
  strikes(kind: FaultKind, share: number): boolean {
    if (!this.has(kind)) return false;
    if (!this.chanceOf(kind).chance(share)) return false;
    this.struck.set(kind, (this.struck.get(kind) ?? 0) + 1);
    return true;
  }

  /** The chance of one kind alone, so that a kind that is left out does not change where the others strike. */
  chanceOf(kind: FaultKind): Random {
    let stream = this.#streams.get(kind);
    if (stream === undefined) {
      stream = this.#random.stream(kind);
      this.#streams.set(kind, stream);
    }
    return stream;
  }
}

/** A quarter of the runs has no fault; in the others each kind is there with the same chance, which differs from run to run. */
export function chooseFaults(random: Random, among: readonly FaultKind[] = faultKinds): FaultKind[] {
  const share = random.chance(0.25) ? 0 : 0.1 + random.next() * 0.6;
  return among.filter((kind) => random.stream(kind).chance(share));
}
