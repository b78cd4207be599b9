/**
 * The store port: where session logs live, and the fence that keeps one writer per session across processes.
 *
 * I1  An epoch belongs to one claim. Only the newest epoch of a session can append; every older one gets `FENCED`.
 * I2  A resolved `create` or `append` has reached the store's durability level (memory: the process; SQLite: the disk).
 * I3  A rejected `append` wrote nothing, with one exception: `OUTCOME_UNKNOWN`.
 * I4  `head`, `read`, `children`, `pending` and `roots` never disturb an owner.
 * I5  Calls issued one after the other without awaiting take effect in that order.
 *
 * Besides what is said at each call, every call can reject `STORE_CLOSED`, `STORE_LOCKED`, `STORE_FULL`, `STORE_FAILED` and
 * `STORE_DAMAGED`; `INVALID_ARGUMENT` for what JSON cannot hold; and `SESSION_DAMAGED` or `SESSION_UNSUPPORTED` for a session
 * it needs. `pending` and `roots` then reject as a whole: no session is left out in silence.
 */
import type { NewSessionEvent, SessionEvent, SessionEventOf, SessionHeader } from './event.ts';
import type { SessionId } from './ids.ts';
import type { Pending } from './pending.ts';

/** Who claims sessions: one runtime in one process. */
export type OwnerId = string;

/** The right to append: valid until somebody claims the session again. `seq` is the number of the next event. */
export interface SessionLease {
  readonly seq: number;
  readonly epoch: number;
}

export interface SessionHead {
  readonly header: SessionHeader;
  /** Number of the next event; also how many there are. */
  readonly seq: number;
  /** 0 before the first claim. */
  readonly epoch: number;
  /** The owner whose claim is in force, or undefined after it was handed back. */
  readonly owner: OwnerId | undefined;
}

export interface PendingSession {
  readonly header: SessionHeader;
  readonly pending: Pending;
}

export interface SessionStore {
  /** `undefined` if no session has the id. */
  head(id: SessionId): Promise<SessionHead | undefined>;
  /** The events from number `from` (default 0) on, without a gap. Rejects `SESSION_NOT_FOUND`, `SESSION_DAMAGED`. */
  read(id: SessionId, from?: number): Promise<readonly SessionEvent[]>;
  /** Writes header and first events in one piece, claimed by `owner` under epoch 1. Rejects `SESSION_EXISTS`. */
  create(header: SessionHeader, owner: OwnerId, events: readonly NewSessionEvent[]): Promise<SessionLease>;
  /**
   * Takes the session over and fences out every earlier claim. Rejects `BUSY` while another owner's lease is live, and
   * `SESSION_NOT_FOUND`. The same owner may claim again.
   */
  claim(id: SessionId, owner: OwnerId): Promise<SessionLease>;
  /** Extends the lease on everything the owner has claimed. Call it at most every third of `leaseMs`. */
  renew(owner: OwnerId): Promise<void>;
  /**
   * Gives the session up without waiting for the lease to end. Does nothing if `epoch` is not the newest. Nobody else holds an
   * epoch until the next claim, so a late `notice/delivered` may still be appended under this one.
   */
  handBack(id: SessionId, epoch: number): Promise<void>;
  /** Appends in one piece if `at` is still right. Rejects `FENCED` if the epoch or the sequence number is not. */
  append(id: SessionId, at: SessionLease, events: readonly NewSessionEvent[]): Promise<void>;
  /** Resolves if the epoch is the newest; rejects `FENCED` if not. Comes before an effect outside (a model call, a tool). */
  check(id: SessionId, epoch: number): Promise<void>;
  /** Deletes a session that was never announced. Rejects `FENCED` if `epoch` is not the newest. */
  remove(id: SessionId, epoch: number): Promise<void>;
  /** The catalog entries of a session in event order, inherited ones left out. Rejects `SESSION_NOT_FOUND`, `SESSION_DAMAGED`. */
  children(id: SessionId): Promise<readonly SessionEventOf<'subagent/child'>[]>;
  /** Sessions that owe something (see `Pending`) and that no live owner holds. */
  pending(): Promise<readonly PendingSession[]>;
  /** Heads of all top-level sessions, oldest first. */
  roots(): Promise<readonly SessionHead[]>;
  /** How long a claim holds without `renew`, in milliseconds. */
  readonly leaseMs: number;
  /** Waits for what was issued, then releases the store. Later calls reject `STORE_CLOSED`. */
  close(): Promise<void>;
}
