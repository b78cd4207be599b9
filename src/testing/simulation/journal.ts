/**
 * A disk with one file of records on it, and what a power cut makes of it. A record is its text and a checksum.
 *
 * I1  What was synced stays, whatever happens. What was not stays, goes, or stays in part: the fault kinds say which.
 * I2  Reading stops at the first record that is not whole, and cuts the file there before anything is written behind it.
 */
import { crc32 } from 'node:zlib';
import type { Faults } from './faults.ts';
import type { Random } from './random.ts';

interface StoredRecord {
  text: string;
  readonly sum: number;
  /** A sync failed over it: the system takes it for clean and never brings it to the disk. */
  isLost: boolean;
}

export class Journal {
  #records: StoredRecord[] = [];
  #synced = 0;

  /** Records on their way to the disk. */
  get unsynced(): number {
    return this.#records.length - this.#synced;
  }

  get length(): number {
    return this.#records.length;
  }

  write(text: string): void {
    this.#records.push({ text, sum: crc32(text), isLost: false });
  }

  /** Brings everything to the disk, or its first `count` records. */
  sync(count = this.unsynced): void {
    this.#synced += Math.min(count, this.unsynced);
  }

  /** What is not synced is still read, as long as the machine runs, and never reaches the disk. A later sync says nothing of it. */
  failSync(): void {
    for (const record of this.#records.slice(this.#synced)) record.isLost = true;
  }

  /** The power goes. */
  cutPower(faults: Faults, random: Random): void {
    const rest = this.#records.splice(this.#synced);
    this.#records = [...this.#records.map(damagedIfLost), ...survivors(rest, faults, random).map(damagedIfLost)];
  }

  /** All whole records, in order; the file ends behind the last of them. Throws if a synced one is not whole. */
  recover(): readonly string[] {
    const first = this.#records.findIndex(({ text, sum }) => crc32(text) !== sum);
    if (first >= 0 && first < this.#synced) throw new Error(`record ${first} was synced and is damaged`);
    if (first >= 0) this.#records.length = first;
    this.#synced = this.#records.length;
    return this.#records.map(({ text }) => text);
  }
}

function damagedIfLost(record: StoredRecord): StoredRecord {
  return record.isLost ? { ...record, text: '', isLost: false } : record;
}

function survivors(rest: readonly StoredRecord[], faults: Faults, random: Random): StoredRecord[] {
  if (rest.length === 0) return [];
  const kinds = (['unsynced-dropped', 'unsynced-torn', 'unsynced-corrupted'] as const).filter((kind) => faults.has(kind));
  if (kinds.length === 0) return [...rest];
  const kind = random.pick(kinds);
  faults.struck.set(kind, (faults.struck.get(kind) ?? 0) + 1);
  const whole = random.below(rest.length);
  const [broken, ...behind] = rest.slice(whole);
  if (kind === 'unsynced-dropped' || broken === undefined) return rest.slice(0, random.chance(0.5) ? 0 : whole);
  const at = random.below(broken.text.length);
  if (kind === 'unsynced-torn') return [...rest.slice(0, whole), { ...broken, text: broken.text.slice(0, at) }];
  const text = `${broken.text.slice(0, at)}\u0000${broken.text.slice(at + 1)}`;
  return [...rest.slice(0, whole), { ...broken, text }, ...behind];
}
