/** The store over one file: every call becomes one entry of the commit queue. */
import { resolve } from 'node:path';
import { SubagentError } from '../../../errors.ts';
import { type Clock, systemClock } from '../../../ports/clock.ts';
import type { NewSessionEvent, SessionHeader } from '../../event.ts';
import type { SessionId } from '../../ids.ts';
import type { OwnerId, SessionLease, SessionStore } from '../../store.ts';
import { defaultLeaseMs } from '../lease.ts';
import type { SqliteStoreOptions } from '../sqlite.ts';
import { CommitQueue } from './commit-queue.ts';
import type { OpenDatabase } from './database.ts';
import { openStoreFile, type StoreFile } from './file.ts';
import { type Owners, owners } from './owners.ts';
import { encodeEvents, toJson } from './rows.ts';
import { SessionReads } from './session-reads.ts';
import { type EncodedBatch, SessionTable } from './session-table.ts';

const defaultBusyMs = 5_000;

export function openSqliteStore(options: SqliteStoreOptions, open: OpenDatabase): SessionStore {
  const { path, clock = systemClock, leaseMs = defaultLeaseMs, busyMs = defaultBusyMs, checkOnOpen = true } = options;
  if (typeof path !== 'string' || path === '') throw new SubagentError('INVALID_ARGUMENT', 'the path of a store is a file name');
  if (!(leaseMs > 0)) throw new SubagentError('INVALID_ARGUMENT', 'leaseMs is a number of milliseconds above 0');
  if (!(busyMs >= 0)) throw new SubagentError('INVALID_ARGUMENT', 'busyMs is a number of milliseconds from 0 on');
  const file = openStoreFile({ path: resolve(path), open, busyMs, isChecked: checkOnOpen });
  return new SqliteStore(file, { clock, leaseMs, busyMs });
}

class SqliteStore implements SessionStore {
  readonly leaseMs: number;
  readonly #file: StoreFile;
  readonly #queue: CommitQueue;
  readonly #owners: Owners;
  readonly #table: SessionTable;
  readonly #reads: SessionReads;
  #closing: Promise<void> | undefined;

  constructor(file: StoreFile, { clock, leaseMs, busyMs }: { clock: Clock; leaseMs: number; busyMs: number }) {
    const { database, mark } = file;
    this.leaseMs = leaseMs;
    this.#file = file;
    this.#queue = new CommitQueue({ database, clock, busyMs, committed: (commits) => mark.write(commits) });
    this.#owners = owners(database, clock, leaseMs);
    this.#table = new SessionTable(database, this.#owners);
    this.#reads = new SessionReads(database, this.#owners);
  }

  head(id: SessionId) {
    return this.#queue.read(() => this.#reads.head(id));
  }

  read(id: SessionId, from = 0) {
    return this.#queue.read(() => this.#reads.read(id, from));
  }

  async create(header: SessionHeader, owner: OwnerId, events: readonly NewSessionEvent[]): Promise<SessionLease> {
    const encoded = { header, json: toJson(header, 'the header') };
    const batch = encodeBatch(events);
    return await this.#queue.write(() => this.#table.create(encoded, owner, batch), bytesOf(batch));
  }

  claim(id: SessionId, owner: OwnerId) {
    return this.#queue.write(() => this.#table.claim(id, owner));
  }

  renew(owner: OwnerId) {
    return this.#queue.write(() => {
      this.#owners.register(owner);
    });
  }

  handBack(id: SessionId, epoch: number) {
    return this.#queue.write(() => this.#table.handBack(id, epoch));
  }

  async append(id: SessionId, at: SessionLease, events: readonly NewSessionEvent[]): Promise<void> {
    const { seq, epoch } = at;
    const batch = encodeBatch(events);
    await this.#queue.write(() => this.#table.append(id, { seq, epoch }, batch), bytesOf(batch));
  }

  check(id: SessionId, epoch: number) {
    return this.#queue.read(() => this.#table.check(id, epoch));
  }

  remove(id: SessionId, epoch: number) {
    return this.#queue.write(() => this.#table.remove(id, epoch));
  }

  children(id: SessionId) {
    return this.#queue.read(() => this.#reads.children(id));
  }

  pending() {
    return this.#queue.read(() => this.#reads.pending());
  }

  roots() {
    return this.#queue.read(() => this.#reads.roots());
  }

  close() {
    const handBackAll = { isNeeded: () => this.#owners.hasOwn(), run: () => this.#owners.forgetOwn() };
    this.#closing ??= this.#queue.close(handBackAll).then(() => this.#file.mark.close());
    return this.#closing;
  }
}

/** The given array may be changed after the call; what is in it may not. */
function encodeBatch(events: readonly NewSessionEvent[]): EncodedBatch {
  return { events: [...events], encoded: encodeEvents(events) };
}

function bytesOf({ encoded }: EncodedBatch): number {
  let bytes = 0;
  for (const { json } of encoded) bytes += json.length;
  return bytes;
}
