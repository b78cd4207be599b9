/** What the store does to sessions. Every function runs inside a transaction; each checks everything before it writes. */
import type { NewSessionEvent, SessionHeader } from '../../event.ts';
import type { SessionId } from '../../ids.ts';
import { isPending, type Pending, pendingAfter, pendingAtBirth } from '../../pending.ts';
import type { OwnerId, SessionLease } from '../../store.ts';
import { busy, exists, fenced, notFound } from '../refusals.ts';
import type { Database, Statement } from './database.ts';
import type { Owners } from './owners.ts';
import { damaged, type EncodedEvent, eventSum, headerSum, type SessionState, stateSum } from './rows.ts';

export interface StateRow extends SessionState {
  readonly no: number;
  readonly sum: number;
  readonly depth: number;
}

/** A header with its text, made when the call was made. */
export interface EncodedHeader {
  readonly header: SessionHeader;
  readonly json: string;
}

/** Events as given and as text. */
export interface EncodedBatch {
  readonly events: readonly NewSessionEvent[];
  readonly encoded: readonly EncodedEvent[];
}

export class SessionTable {
  readonly #owners: Owners;
  readonly #state: Statement;
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #remove: Statement;
  readonly #insertEvent: Statement;
  readonly #removeEvents: Statement;

  constructor(database: Database, owners: Owners) {
    this.#owners = owners;
    this.#state = database.prepare('select no, seq, epoch, owner, unclaimed, turn, notice, sum, depth from session where id = ?');
    this.#insert = database.prepare(
      'insert into session (id, seq, epoch, owner, unclaimed, turn, notice, owes, sum, depth, created, header, header_sum)' +
        ' values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#update = database.prepare(
      'update session set seq = ?, epoch = ?, owner = ?, unclaimed = ?, turn = ?, notice = ?, owes = ?, sum = ? where no = ?',
    );
    this.#remove = database.prepare('delete from session where no = ?');
    this.#insertEvent = database.prepare('insert into event (session, seq, time, type, data, sum) values (?, ?, ?, ?, ?, ?)');
    this.#removeEvents = database.prepare('delete from event where session = ?');
  }

  /** Throws `SESSION_DAMAGED` if the row is not as it was written. */
  state(id: SessionId): StateRow | undefined {
    const row = this.#state.get(id) as StateRow | undefined;
    if (row !== undefined && stateSum(id, row) !== row.sum) throw damaged(id, 'its state fails its checksum');
    return row;
  }

  create({ header, json }: EncodedHeader, owner: OwnerId, { events, encoded }: EncodedBatch): SessionLease {
    const { id } = header;
    if (this.#state.get(id) !== undefined) throw exists(id);
    const pending = pendingAtBirth(header, events);
    const state = { seq: events.length, epoch: 1, owner: this.#owners.register(owner), ...columnsOf(pending) };
    const { lastInsertRowid } = this.#insert.run(
      id,
      ...valuesOf(id, state),
      header.delegationDepth,
      header.createdAt,
      json,
      headerSum(json),
    );
    this.#writeEvents(id, Number(lastInsertRowid), 0, encoded);
    return { seq: state.seq, epoch: state.epoch };
  }

  claim(id: SessionId, owner: OwnerId): SessionLease {
    const row = this.state(id);
    if (row === undefined) throw notFound(id);
    if (this.#owners.idOf(row.owner) !== owner && this.#owners.isLive(row.owner)) throw busy(id);
    const epoch = row.epoch + 1;
    this.#updateState(id, row.no, { ...row, epoch, owner: this.#owners.register(owner) });
    return { seq: row.seq, epoch };
  }

  handBack(id: SessionId, epoch: number): void {
    const row = this.state(id);
    if (row?.epoch === epoch && row.owner !== null) this.#updateState(id, row.no, { ...row, owner: null });
  }

  append(id: SessionId, at: SessionLease, { events, encoded }: EncodedBatch): void {
    const row = this.state(id);
    if (row === undefined || row.epoch !== at.epoch || row.seq !== at.seq) throw fenced(id);
    const pending = pendingAfter({ delegationDepth: row.depth }, pendingOf(row), events);
    this.#updateState(id, row.no, { seq: row.seq + events.length, epoch: row.epoch, owner: row.owner, ...columnsOf(pending) });
    this.#writeEvents(id, row.no, row.seq, encoded);
  }

  check(id: SessionId, epoch: number): void {
    if (this.state(id)?.epoch !== epoch) throw fenced(id);
  }

  remove(id: SessionId, epoch: number): void {
    const row = this.state(id);
    if (row?.epoch !== epoch) throw fenced(id);
    this.#removeEvents.run(row.no);
    this.#remove.run(row.no);
  }

  #updateState(id: SessionId, no: number, state: SessionState): void {
    this.#update.run(...valuesOf(id, state), no);
  }

  #writeEvents(id: SessionId, no: number, first: number, encoded: readonly EncodedEvent[]): void {
    let seq = first;
    for (const event of encoded) {
      this.#insertEvent.run(no, seq, event.time, event.type, event.json, eventSum(id, seq, event));
      seq++;
    }
  }
}

export function pendingOf(row: SessionState): Pending {
  return { unclaimed: row.unclaimed, hasOpenTurn: row.turn === 1, hasUndeliveredNotice: row.notice === 1 };
}

function columnsOf(pending: Pending) {
  return { unclaimed: pending.unclaimed, turn: Number(pending.hasOpenTurn), notice: Number(pending.hasUndeliveredNotice) };
}

/** The changing columns of a session, in the order of both statements that write them. */
function valuesOf(id: SessionId, state: SessionState): (number | null)[] {
  const { seq, epoch, owner, unclaimed, turn, notice } = state;
  return [seq, epoch, owner, unclaimed, turn, notice, Number(isPending(pendingOf(state))), stateSum(id, state)];
}
