/** Reading sessions. Every function runs inside one snapshot and proves what it returns: checksums, order, number of events. */
import type { SessionEvent, SessionEventOf, SessionHeader } from '../../event.ts';
import type { SessionId } from '../../ids.ts';
import type { PendingSession, SessionHead } from '../../store.ts';
import { notFound } from '../refusals.ts';
import { type Database, faultOf, type Statement } from './database.ts';
import type { Owners } from './owners.ts';
import { damaged, decodeEvent, decodeHeader, type EventRow, stateSum } from './rows.ts';
import { pendingOf, type StateRow } from './session-table.ts';

interface SessionRow extends StateRow {
  readonly id: SessionId;
  readonly header: string;
  readonly header_sum: number;
}

const child = 'subagent/child';
const columns = 'no, id, seq, epoch, owner, unclaimed, turn, notice, sum, header, header_sum';

export class SessionReads {
  readonly #owners: Owners;
  readonly #session: Statement;
  readonly #owing: Statement;
  readonly #roots: Statement;
  readonly #events: Statement;
  readonly #children: Statement;

  constructor(database: Database, owners: Owners) {
    this.#owners = owners;
    this.#session = database.prepare(`select ${columns} from session where id = ?`);
    this.#owing = database.prepare(`select ${columns} from session where owes = 1 order by no`);
    this.#roots = database.prepare(`select ${columns} from session where depth = 0 order by created, no`);
    // Named indexes: without statistics the planner would look for children among all events.
    this.#events = database.prepare(
      'select seq, time, type, data, sum from event indexed by event_place where session = ? and seq >= ? order by seq',
    );
    this.#children = database.prepare(
      `select seq, time, data, sum from event indexed by event_child where session = ? and seq >= ? and type = '${child}' order by seq`,
    );
  }

  head(id: SessionId): SessionHead | undefined {
    const row = this.#row(id);
    return row && this.#headOf(row);
  }

  read(id: SessionId, from: number): readonly SessionEvent[] {
    const row = this.#rowOrRefuse(id);
    const first = Math.max(0, from);
    const events = (all(id, this.#events, row.no, first) as EventRow[]).map((event, index) =>
      decodeEvent(id, first + index, event.type, event),
    );
    const expected = Math.max(0, row.seq - first);
    if (events.length !== expected) throw damaged(id, `it holds ${events.length} events from ${first} on instead of ${expected}`);
    return events;
  }

  children(id: SessionId): readonly SessionEventOf<'subagent/child'>[] {
    const row = this.#rowOrRefuse(id);
    const { inheritedEvents } = headerOf(row);
    const rows = all(id, this.#children, row.no, inheritedEvents) as Omit<EventRow, 'type'>[];
    return rows.map((event) => decodeEvent(id, event.seq, child, event) as SessionEventOf<'subagent/child'>);
  }

  pending(): readonly PendingSession[] {
    const rows = this.#owing.all() as SessionRow[];
    const live = new Set([...new Set(rows.map((row) => row.owner))].filter((owner) => this.#owners.isLive(owner)));
    const free = rows.filter((row) => !live.has(row.owner));
    return free.map((row) => ({ header: headerOf(row), pending: pendingOf(row) }));
  }

  roots(): readonly SessionHead[] {
    return (this.#roots.all() as SessionRow[]).map((row) => this.#headOf(row));
  }

  #row(id: SessionId): SessionRow | undefined {
    return this.#session.get(id) as SessionRow | undefined;
  }

  #rowOrRefuse(id: SessionId): SessionRow {
    const row = this.#row(id);
    if (row === undefined) throw notFound(id);
    return proven(row);
  }

  #headOf(row: SessionRow): SessionHead {
    const { seq, epoch, owner } = proven(row);
    return { header: headerOf(row), seq, epoch, owner: this.#owners.idOf(owner) };
  }
}

function proven(row: SessionRow): SessionRow {
  if (stateSum(row.id, row) !== row.sum) throw damaged(row.id, 'its state fails its checksum');
  return row;
}

function headerOf(row: SessionRow): SessionHeader {
  return decodeHeader(row.id, proven(row).header, row.header_sum);
}

/** A page that SQLite finds broken while it looks for the events of one session is damage of that session. */
function all(id: SessionId, statement: Statement, no: number, from: number): unknown[] {
  try {
    return statement.all(no, from);
  } catch (error) {
    if (faultOf(error) === 'damaged') throw damaged(id, 'its events cannot be read', error);
    throw error;
  }
}
