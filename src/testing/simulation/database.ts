/**
 * One store that all simulated processes of a run share: the rules of the memory store over a journal on a disk that fails.
 *
 * I1  Calls of one process take effect in the order of their issue; those of two processes in any order.
 * I2  No call is answered before all that it may have seen or written is on disk; answers come in any order.
 * I3  What has been answered is on disk. A sync that failed is not tried again: what it was for is unknown, and the store says
 *     `STORE_FAILED` until it is opened anew.
 * I4  A full disk leaves no part of what did not fit.
 */
import { SubagentError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SessionStore } from '../../sessions/store.ts';
import { memoryStore } from '../../sessions/stores/memory.ts';
import { DatabaseClient } from './database-client.ts';
import type { FaultKind, Faults } from './faults.ts';
import { Journal } from './journal.ts';
import { type Entry, entryText, isWrite, parseEntry, perform, type StoreCall } from './journal-entry.ts';
import type { Random } from './random.ts';
import type { Doer, Schedule } from './schedule.ts';

/** How often a fault strikes of those that a run has: of 1,000 writes or syncs. */
const crashShare = 0.004;
const syncFailedShare = 0.003;
const diskFullShare = 0.02;
/** A full disk has room again after that, or at once. */
const diskFullMsMax = 4_000;
const slowShare = 0.03;
/** Longer than a write may take, once in a while. */
const slowMsMax = 12_000;
/** Answers that are on their way at the same time overtake each other. */
const answerLanes = 4;

export interface DatabaseOptions {
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly random: Random;
  /** The clock on the wall, which leases go by. */
  readonly wall: () => number;
  readonly leaseMs: number;
  /** A process, or the whole machine, ends here and now. `writers`: whose writes are being brought to the disk. */
  crash(writers: readonly Doer[]): void;
  /** A sync has failed: the store must be opened anew. */
  failed(): void;
  /** A call took effect. */
  onEffect?(call: StoreCall, error: unknown): void;
  /** The process that issued it has been told that it was done. */
  onAnswered?(call: StoreCall): void;
  /** The journal has been read again after a power cut. */
  onReopened?(): void;
}

interface Waiting {
  readonly doer: Doer;
  readonly isWrite: boolean;
  readonly answer: () => void;
  readonly fail: (error: SubagentError | undefined) => void;
}

export class Database {
  readonly options: DatabaseOptions;
  readonly journal = new Journal();
  /** The ids of all sessions that were ever created. */
  readonly created = new Set<string>();
  /** What the records in the journal amount to. */
  image: SessionStore;
  #now: () => number;
  #waiting: Waiting[] = [];
  #isSyncDue = false;
  #failure: SubagentError | undefined;
  #opening = 0;
  /** In milliseconds of the run. */
  #fullUntil = 0;

  constructor(options: DatabaseOptions) {
    this.options = options;
    this.#now = options.wall;
    this.image = this.#emptyImage();
  }

  /** A store for one process. What it is asked after the process has died takes no effect and is never answered. */
  open(doer: Doer): SessionStore {
    return new DatabaseClient(this, doer);
  }

  get failure(): SubagentError | undefined {
    return this.#failure;
  }

  /** Takes effect now, and is answered once it is on disk. */
  run(call: StoreCall, doer: Doer, resolve: (value: unknown) => void, reject: (error: unknown) => void): void {
    const { onEffect, onAnswered } = this.options;
    if (this.#failure !== undefined) {
      reject(new SubagentError('STORE_FAILED', 'the disk has failed'));
      return;
    }
    if (isWrite(call) && this.#isFull()) {
      reject(new SubagentError('STORE_FULL', 'the disk is full'));
      return;
    }
    const entry: Entry = { at: this.#now(), ...call };
    const opening = this.#opening;
    perform(this.image, entry).then(
      (value) => {
        if (opening !== this.#opening) return;
        if (call.method === 'create') this.created.add(call.header.id);
        onEffect?.(call, undefined);
        if (isWrite(call)) this.journal.write(entryText(entry));
        const answer = () => {
          onAnswered?.(call);
          resolve(value);
        };
        this.#afterSync({ doer, isWrite: isWrite(call), answer, fail: reject });
      },
      (refusal: unknown) => {
        if (opening !== this.#opening) return;
        onEffect?.(call, refusal);
        this.#afterSync({ doer, isWrite: false, answer: () => reject(refusal), fail: reject });
      },
    );
  }

  /** The power goes for a moment. Nothing that was under way is answered. */
  cutPower(): void {
    this.journal.cutPower(this.options.faults, this.options.random);
    this.reopen();
  }

  /** Reads the journal again. */
  reopen(): void {
    this.#opening++;
    this.#waiting = [];
    this.#isSyncDue = false;
    this.#failure = undefined;
    let at = 0;
    this.#now = () => at;
    this.image = this.#emptyImage();
    for (const text of this.journal.recover()) {
      const entry = parseEntry(text);
      at = entry.at;
      perform(this.image, entry).catch(() => undefined); // what was refused was not written
    }
    this.#now = this.options.wall;
    this.options.onReopened?.();
  }

  #isFull(): boolean {
    const { faults, schedule } = this.options;
    if (!faults.has('disk-full')) return false;
    if (schedule.now < this.#fullUntil) return true;
    if (!faults.strikes('disk-full', diskFullShare)) return false;
    const random = faults.chanceOf('disk-full');
    if (random.chance(0.2)) this.#fullUntil = schedule.now + random.next() * diskFullMsMax;
    return true;
  }

  #emptyImage(): SessionStore {
    const clock: Clock = { now: () => this.#now(), schedule: () => () => undefined };
    return memoryStore({ clock, leaseMs: this.options.leaseMs });
  }

  #afterSync(waiting: Waiting): void {
    if (this.journal.unsynced === 0) {
      this.#answer(waiting);
      return;
    }
    this.#waiting.push(waiting);
    if (this.#isSyncDue) return;
    this.#isSyncDue = true;
    const opening = this.#opening;
    const sync = () => {
      if (opening === this.#opening) this.#sync();
    };
    const { schedule, faults } = this.options;
    if (!faults.strikes('slow-disk', slowShare)) schedule.add('sync', 'sync', sync);
    else schedule.after(faults.chanceOf('slow-disk').next() * slowMsMax, 'slow sync', sync);
  }

  #sync(): void {
    const { faults, random, crash } = this.options;
    const opening = this.#opening;
    const writers = this.#waiting.filter((one) => one.isWrite).map(({ doer }) => doer);
    const strikes = (kind: FaultKind) => {
      if (faults.strikes(kind, crashShare)) crash(writers);
      return opening !== this.#opening;
    };
    if (strikes('crash-before-sync')) return;
    if (faults.strikes('sync-failed', syncFailedShare)) {
      this.#fail();
      return;
    }
    if (faults.has('crash-during-sync')) this.journal.sync(random.below(this.journal.unsynced + 1));
    if (strikes('crash-during-sync')) return;
    this.journal.sync();
    if (strikes('crash-after-sync')) return;
    this.#isSyncDue = false;
    for (const one of this.#waiting.splice(0)) this.#answer(one);
  }

  #fail(): void {
    this.journal.failSync();
    this.#failure = new SubagentError('STORE_FAILED', 'the disk has failed');
    this.#isSyncDue = false;
    for (const { isWrite: hasWritten, fail, doer } of this.#waiting.splice(0)) {
      const failure = hasWritten ? new SubagentError('OUTCOME_UNKNOWN', 'the disk failed during the commit') : this.#failure;
      this.options.schedule.add(`answer ${doer.name}`, 'failed sync', () => fail(failure), doer);
    }
    this.options.failed();
  }

  #answer({ doer, answer }: Waiting): void {
    this.options.schedule.add(`answer ${doer.name} ${this.options.random.below(answerLanes)}`, 'answer', answer, doer);
  }
}
