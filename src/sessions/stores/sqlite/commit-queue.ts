/**
 * Group commit: all calls issued in one turn of the event loop share one transaction, and so one sync of the disk.
 *
 * I1  Calls take effect in the order in which they were issued, reads among them: a read sees every write before it.
 * I2  No call is answered before its group is on disk. A call that refuses (`FENCED`, say) has written nothing and fails alone.
 * I3  A commit that failed is never tried again. A full disk wrote nothing, and the store goes on. After any other failure of
 *     the commit its writes are `OUTCOME_UNKNOWN`, because the next opening may find them, and the store stays failed.
 * I4  While somebody else is writing, the event loop stays free: tries do not wait, and come from a timer.
 */
import { SubagentError } from '../../../errors.ts';
import type { CancelTimer, Clock } from '../../../ports/clock.ts';
import { closed } from '../refusals.ts';
import { type Database, faultOf, type Statement } from './database.ts';
import { type Call, type CallOutcome, callError, commitGroup, type GroupOutcome, rollBack } from './group.ts';

export interface CommitQueueOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** How long a group may wait for somebody else who is writing, in milliseconds. */
  readonly busyMs: number;
  /** Told after each commit and before its calls are answered: how many commits there have been in the store's life. */
  readonly committed: (commits: number) => void;
}

/** Bounds how long one transaction keeps the event loop and the lock: about 50 ms. */
const groupCallsMax = 2_048;
/** Between two tries to get the lock, in milliseconds. A commit takes one to two. */
const retryMs = 2;
/** After about this many pages the write-ahead log is emptied into the file. SQLite's own default is the same. */
const checkpointPages = 1_000;
/** Pages that a commit, and a call in it, touch besides the data. */
const pagesPerCommit = 3;
const pagesPerWrite = 2;
const pageBytes = 4_096;

export class CommitQueue {
  readonly #options: CommitQueueOptions;
  readonly #database: Database;
  readonly #countCommit: Statement;
  readonly #checkpoint: Statement;
  /** Issued, and in no group yet. */
  #waiting: Call[] = [];
  /** Taken, and not begun because somebody else is writing. */
  #group: readonly Call[] = [];
  #isFlushDue = false;
  #retry: NodeJS.Timeout | undefined;
  #cancelDeadline: CancelTimer | undefined;
  #pagesWritten = 0;
  #failure: SubagentError | undefined;
  #isClosed = false;

  constructor(options: CommitQueueOptions) {
    this.#options = options;
    this.#database = options.database;
    this.#countCommit = options.database.prepare('update store set commits = commits + 1 where id = 1 returning commits');
    this.#checkpoint = options.database.prepare('pragma wal_checkpoint(restart)');
  }

  /** `run` checks first and writes afterwards; a `SubagentError` of its is a refusal. `bytes` is about how much it writes. */
  write<Result>(run: () => Result, bytes = 0): Promise<Result> {
    const refusal = this.#refusal();
    if (refusal) return Promise.reject(refusal);
    this.#pagesWritten += pagesPerWrite + bytes / pageBytes;
    return this.#enqueue(true, run);
  }

  /** Runs at once, unless something was issued before it. */
  read<Result>(run: () => Result): Promise<Result> {
    const refusal = this.#refusal();
    if (refusal) return Promise.reject(refusal);
    if (this.#waiting.length > 0 || this.#group.length > 0) return this.#enqueue(false, run);
    try {
      return Promise.resolve(this.#snapshot(run));
    } catch (error) {
      if (error instanceof SubagentError) return Promise.reject(error);
      return faultOf(error) === 'busy' ? this.#enqueue(false, run) : Promise.reject(callError(error));
    }
  }

  /** Takes no more calls, waits for those that were issued, runs `last` if that is still needed then, and closes the database. */
  async close(last: { readonly isNeeded: () => boolean; readonly run: () => void }): Promise<void> {
    const refusal = this.#refusal();
    this.#isClosed = true;
    try {
      if (!refusal) await this.#enqueue(false, () => undefined);
      if (!refusal && last.isNeeded()) await this.#enqueue(true, last.run);
    } catch {
      // What `last` does is a courtesy: claims not handed back end with their lease. What was acknowledged is on disk.
    }
    this.#database.close();
  }

  #refusal(): SubagentError | undefined {
    return this.#isClosed ? closed() : this.#failure;
  }

  #enqueue<Result>(isWrite: boolean, run: () => Result): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ isWrite, run, resolve: resolve as (value: unknown) => void, reject });
      this.#flushSoon();
    });
  }

  /** One snapshot for all that `run` reads: another process may commit between two statements. */
  #snapshot<Result>(run: () => Result): Result {
    this.#database.exec('begin');
    try {
      return run();
    } finally {
      rollBack(this.#database);
    }
  }

  #flushSoon(): void {
    if (this.#isFlushDue || this.#group.length > 0 || this.#waiting.length === 0) return;
    this.#isFlushDue = true;
    setImmediate(() => {
      this.#isFlushDue = false;
      this.#group = this.#waiting.splice(0, groupCallsMax);
      this.#runGroup();
    });
  }

  #runGroup(): void {
    let outcome = this.#tryGroup();
    while (outcome.kind === 'broken') {
      const { call, error } = outcome;
      call.reject(error);
      this.#group = this.#group.filter((other) => other !== call);
      outcome = this.#tryGroup();
    }
    if (outcome.kind === 'busy') {
      this.#retryLater();
      return;
    }
    const group = this.#leaveGroup();
    switch (outcome.kind) {
      case 'committed':
        this.#pagesWritten += pagesPerCommit;
        if (outcome.commits !== undefined) this.#options.committed(outcome.commits);
        answer(group, outcome.calls);
        if (this.#pagesWritten >= checkpointPages) setImmediate(() => this.#emptyLog());
        break;
      case 'full':
        for (const call of group) call.reject(new SubagentError('STORE_FULL', 'the disk is full', { cause: outcome.cause }));
        break;
      case 'failed':
        this.#failure ??= new SubagentError('STORE_FAILED', 'the disk has failed the store', { cause: outcome.cause });
        rejectFailed(group, outcome.calls, this.#failure);
    }
  }

  #tryGroup(): GroupOutcome {
    if (this.#failure) return { kind: 'failed', cause: this.#failure, calls: [] };
    return commitGroup(this.#database, this.#countCommit, this.#group);
  }

  /** The tries run in real time, since it is another process that they wait for. Their bound belongs to the clock. */
  #retryLater(): void {
    this.#retry = setTimeout(() => this.#runGroup(), retryMs);
    this.#cancelDeadline ??= this.#options.clock.schedule(this.#options.busyMs, () => {
      const text = `somebody else has held the store for ${this.#options.busyMs} ms`;
      for (const call of this.#leaveGroup()) call.reject(new SubagentError('STORE_LOCKED', text));
    });
  }

  /** The group is about to be answered; the next may begin. */
  #leaveGroup(): readonly Call[] {
    clearTimeout(this.#retry);
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
    const group = this.#group;
    this.#group = [];
    this.#flushSoon();
    return group;
  }

  /**
   * `restart` keeps writers out for the moment, if it can: the log of two processes that write without pause would else grow
   * for ever. A reader or writer in its way, or a full disk, only puts the work off.
   */
  #emptyLog(): void {
    if (this.#isClosed || this.#failure) return;
    this.#pagesWritten = 0;
    try {
      this.#checkpoint.all();
    } catch (cause) {
      if (['busy', 'full', 'indexFull'].includes(faultOf(cause))) return;
      this.#failure = new SubagentError('STORE_FAILED', 'the write-ahead log could not be emptied into the store', { cause });
    }
  }
}

function answer(group: readonly Call[], outcomes: readonly CallOutcome[]): void {
  for (const [index, call] of group.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined) continue;
    if ('refusal' in outcome) call.reject(outcome.refusal);
    else call.resolve(outcome.value);
  }
}

/** `outcomes` is empty unless the commit itself failed: what did not write, or did not get that far, is plainly not done. */
function rejectFailed(group: readonly Call[], outcomes: readonly CallOutcome[], failure: SubagentError): void {
  for (const [index, call] of group.entries()) {
    const hasWritten = call.isWrite && 'value' in (outcomes[index] ?? {});
    if (hasWritten) call.reject(new SubagentError('OUTCOME_UNKNOWN', 'the disk failed during the commit', { cause: failure }));
    else call.reject(new SubagentError('STORE_FAILED', failure.message, { cause: failure.cause }));
  }
}
