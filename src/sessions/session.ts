/**
 * One owner's hold on a session: the only way to append to it while the owner keeps it.
 *
 * I1  One write at a time. What is appended meanwhile goes into one batch behind it, in order; it is answered in that order too.
 * I2  After a `FENCED` write, or one whose outcome is unknown, nothing more is written, ever; `onLost` hears of it once.
 * I3  Any other failure wrote nothing, and nothing of what was appended behind it: whoever appended that took what came before
 *     for written. The next append starts from the same place.
 */
import { errorCode, SubagentError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { TranscriptEntry } from './content.ts';
import type { NewSessionEvent, SessionEvent, SessionHeader } from './event.ts';
import type { SessionId } from './ids.ts';
import type { SessionLease, SessionStore } from './store.ts';
import { foldTranscript } from './transcript.ts';

export interface SessionOptions {
  readonly store: SessionStore;
  readonly clock: Clock;
  /** How long one write may take before its outcome counts as unknown, in milliseconds. */
  readonly appendMs: number;
  readonly header: SessionHeader;
  readonly lease: SessionLease;
  /** Called once, asynchronously, when the session can no longer be written. */
  onLost(error: SubagentError): void;
  /** Called with each batch once it is committed, in order. Must not throw. */
  onCommitted?(events: readonly NewSessionEvent[]): void;
}

interface Batch {
  readonly events: NewSessionEvent[];
  readonly appended: Appended[];
}

interface Appended {
  /** In the batch. */
  readonly place: number;
  resolve(firstSeq: number): void;
  reject(error: unknown): void;
}

export class Session {
  readonly id: SessionId;
  readonly header: SessionHeader;
  readonly epoch: number;
  readonly #options: SessionOptions;
  #seq: number;
  #isWriting = false;
  #atRest: PromiseWithResolvers<void> | undefined;
  #next: Batch | undefined;
  #lost: SubagentError | undefined;
  #events: SessionEvent[] | undefined;

  constructor(options: SessionOptions) {
    this.id = options.header.id;
    this.header = options.header;
    this.epoch = options.lease.epoch;
    this.#seq = options.lease.seq;
    this.#options = options;
  }

  /** Number of the next event. */
  get seq(): number {
    return this.#seq;
  }

  /** Resolves with the sequence number of the first of `events` once all are committed. */
  append(events: readonly NewSessionEvent[]): Promise<number> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    if (!this.#isWriting) return new Promise((resolve, reject) => this.#write(events, resolve, reject));
    this.#next ??= { events: [], appended: [] };
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#next.appended.push({ place: this.#next.events.length, resolve, reject });
    this.#next.events.push(...events);
    return promise;
  }

  /**
   * Resolves once every write that was asked for is answered, behind what those who asked do in the same step. Undefined if
   * there is none.
   */
  whenWritten(): Promise<void> | undefined {
    if (!this.#isWriting) return undefined;
    this.#atRest ??= Promise.withResolvers<void>();
    return this.#atRest.promise;
  }

  /** Resolves if this owner still has the session; rejects `FENCED`. */
  async check(): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost;
    try {
      await this.#options.store.check(this.id, this.epoch);
    } catch (error) {
      if (errorCode(error) === 'FENCED') this.#lose(error as SubagentError);
      throw error;
    }
  }

  /** What has been read of the log already, from its first event on, is not read again: a log only grows. */
  know(events: readonly SessionEvent[]): void {
    this.#events ??= [...events];
  }

  /** All committed events. Read from the store on first use, kept up to date from then on. */
  async events(): Promise<readonly SessionEvent[]> {
    let events = this.#events;
    while (events === undefined || events.length < this.#seq) {
      const known: SessionEvent[] = events ?? [];
      const from = known.length;
      const more = await this.#options.store.read(this.id, from);
      events = this.#events ?? known;
      if (events.length === from) events.push(...more); // or somebody else has read the same meanwhile
      this.#events = events;
    }
    return events;
  }

  async history(): Promise<readonly TranscriptEntry[]> {
    return foldTranscript(await this.events());
  }

  /** Gives the session up so that the next owner need not wait for the lease to end. Nothing to do if it was taken over. */
  async handBack(): Promise<void> {
    if (this.#lost?.code !== 'FENCED') await this.#options.store.handBack(this.id, this.epoch);
  }

  #write(events: readonly NewSessionEvent[], resolve: Appended['resolve'], reject: Appended['reject']): void {
    this.#isWriting = true;
    const first = this.#seq;
    const { store, clock, appendMs } = this.#options;
    let isAnswered = false;
    const failed = (error: unknown) => {
      if (isAnswered) return; // the store's answer to a write that was given up
      isAnswered = true;
      cancel();
      this.#isWriting = false;
      reject(this.#failed(error));
      this.#rest();
    };
    const cancel = clock.schedule(appendMs, () =>
      failed(new SubagentError('OUTCOME_UNKNOWN', `the store did not answer a write within ${appendMs} ms`)),
    );
    let writing: Promise<void>;
    try {
      writing = store.append(this.id, { seq: first, epoch: this.epoch }, events);
    } catch (error) {
      queueMicrotask(() => failed(error));
      return;
    }
    writing.then(() => {
      if (isAnswered) return;
      isAnswered = true;
      cancel();
      this.#committed(first, events);
      resolve(first);
      this.#rest();
    }, failed);
  }

  #committed(first: number, events: readonly NewSessionEvent[]): void {
    this.#seq = first + events.length;
    this.#remember(first, events);
    this.#isWriting = false;
    this.#options.onCommitted?.(events);
    this.#writeNext();
  }

  #writeNext(): void {
    const batch = this.#next;
    if (batch === undefined) return;
    this.#next = undefined;
    this.#write(
      batch.events,
      (first) => {
        for (const { place, resolve } of batch.appended) resolve(first + place);
      },
      (error) => rejectAll(batch, error),
    );
  }

  #rest(): void {
    if (this.#isWriting) return;
    this.#atRest?.resolve();
    this.#atRest = undefined;
  }

  #failed(error: unknown): unknown {
    const code = errorCode(error);
    const isLost = code === undefined || code === 'FENCED' || code === 'OUTCOME_UNKNOWN' || code === 'SESSION_NOT_FOUND';
    if (!isLost) {
      this.#rejectNext(error);
      return error;
    }
    const lost =
      code === undefined
        ? new SubagentError('OUTCOME_UNKNOWN', 'the store did not say what became of a write', { cause: error })
        : error;
    this.#lose(lost as SubagentError);
    this.#rejectNext(this.#lost);
    return lost;
  }

  #rejectNext(error: unknown): void {
    const batch = this.#next;
    this.#next = undefined;
    if (batch !== undefined) rejectAll(batch, error);
  }

  #lose(error: SubagentError): void {
    if (this.#lost !== undefined) return;
    this.#lost = error;
    queueMicrotask(() => this.#options.onLost(error));
  }

  #remember(first: number, events: readonly NewSessionEvent[]): void {
    if (this.#events?.length !== first) return;
    for (const [index, event] of events.entries()) this.#events.push({ ...event, seq: first + index } as SessionEvent);
  }
}

function rejectAll({ appended }: Batch, error: unknown): void {
  for (const { reject } of appended) reject(error);
}
