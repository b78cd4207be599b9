/**
 * The port as a few maps: what each call must answer. It counts by name what stores count by number, and keeps a range where the
 * port leaves one: whether a later claim of an owner also extends its earlier leases is a store's own affair.
 */
import type { SubagentErrorCode } from '../../../errors.ts';
import type { NewSessionEvent, SessionEvent, SessionHeader } from '../../../sessions/event.ts';
import type { SessionId } from '../../../sessions/ids.ts';
import type { SessionHead, SessionLease } from '../../../sessions/store.ts';
import { leaseMs } from './bench.ts';
import { owedBy } from './owed.ts';

export interface ModelSession {
  readonly header: SessionHeader;
  readonly events: SessionEvent[];
  epoch: number;
  owner: string | undefined;
  /** When its owner claimed it, or renewed after that. */
  leasedAt: number;
}

/** What a call must answer. `why` is the sentence of the port that says so. */
export type Expected =
  | { readonly value: unknown; readonly why: string }
  | { readonly refused: SubagentErrorCode; readonly why: string }
  /** The ids that `pending` must list with what they owe, and those that it may list or not. */
  | { readonly must: ReadonlyMap<string, unknown>; readonly may: ReadonlyMap<string, unknown>; readonly why: string };

export class StoreModel {
  readonly sessions = new Map<SessionId, ModelSession>();
  /** The last moment at which each owner claimed or renewed anything. */
  readonly #seen = new Map<string, number>();
  now = 0;

  create(header: SessionHeader, owner: string, events: readonly NewSessionEvent[]): Expected {
    if (this.sessions.has(header.id)) return refused('SESSION_EXISTS', 'an id that is taken is refused');
    const session = { header, events: [], epoch: 1, owner, leasedAt: this.now };
    write(session, events);
    this.sessions.set(header.id, session);
    this.#seen.set(owner, this.now);
    return { value: { seq: events.length, epoch: 1 }, why: 'create answers with the next number and epoch 1' };
  }

  append(id: SessionId, at: SessionLease, events: readonly NewSessionEvent[]): Expected {
    const session = this.sessions.get(id);
    if (session?.epoch !== at.epoch) return refused('FENCED', 'only the newest epoch appends (I1)');
    if (session.events.length !== at.seq) return refused('FENCED', 'append checks the sequence number');
    write(session, events);
    return { value: undefined, why: 'the newest epoch appends at the next number' };
  }

  claim(id: SessionId, owner: string): Expected {
    const session = this.sessions.get(id);
    if (session === undefined) return refused('SESSION_NOT_FOUND', 'there is nothing to claim');
    if (session.owner !== owner && this.held(session) !== 'no') return refused('BUSY', 'the lease of another owner is live');
    session.epoch++;
    session.owner = owner;
    session.leasedAt = this.now;
    this.#seen.set(owner, this.now);
    const value = { seq: session.events.length, epoch: session.epoch };
    return { value, why: 'a claim raises the epoch and names the next number (I1)' };
  }

  renew(owner: string): Expected {
    this.#seen.set(owner, this.now);
    for (const session of this.sessions.values()) if (session.owner === owner) session.leasedAt = this.now;
    return { value: undefined, why: 'an owner may always renew' };
  }

  handBack(id: SessionId, epoch: number): Expected {
    const session = this.sessions.get(id);
    if (session?.epoch === epoch) session.owner = undefined;
    return { value: undefined, why: 'handing back never fails' };
  }

  check(id: SessionId, epoch: number): Expected {
    if (this.sessions.get(id)?.epoch !== epoch) return refused('FENCED', 'check rejects an epoch that is not the newest');
    return { value: undefined, why: 'check resolves for the newest epoch' };
  }

  remove(id: SessionId, epoch: number): Expected {
    if (this.sessions.get(id)?.epoch !== epoch) return refused('FENCED', 'only the newest epoch removes');
    this.sessions.delete(id);
    return { value: undefined, why: 'the newest epoch removes' };
  }

  head(id: SessionId): Expected {
    const session = this.sessions.get(id);
    return { value: session && headOf(session), why: 'the head says number, epoch and owner as they are' };
  }

  read(id: SessionId, from: number): Expected {
    const session = this.sessions.get(id);
    if (session === undefined) return refused('SESSION_NOT_FOUND', 'there is nothing to read');
    return {
      value: session.events.slice(from),
      why: 'the log holds every acknowledged event once, in order, and no other (I2, I3)',
    };
  }

  children(id: SessionId): Expected {
    const session = this.sessions.get(id);
    if (session === undefined) return refused('SESSION_NOT_FOUND', 'there is nothing to list');
    const own = session.events.slice(session.header.inheritedEvents);
    return {
      value: own.filter(({ type }) => type === 'subagent/child'),
      why: 'the catalog lists the own children in event order',
    };
  }

  roots(): Expected {
    const roots = [...this.sessions.values()].filter(({ header }) => header.delegationDepth === 0);
    roots.sort((one, other) => one.header.createdAt - other.header.createdAt);
    return { value: roots.map(headOf), why: 'roots are the heads of all top-level sessions, oldest first' };
  }

  pending(): Expected {
    const must = new Map<string, unknown>();
    const may = new Map<string, unknown>();
    for (const session of this.sessions.values()) {
      const pending = owedBy(session.events.slice(session.header.inheritedEvents), session.header.delegationDepth > 0);
      const held = this.held(session);
      if (pending === undefined || held === 'yes') continue;
      (held === 'no' ? must : may).set(session.header.id, { header: session.header, pending });
    }
    return { must, may, why: 'pending lists what is owed and what no live owner holds' };
  }

  /** `either`: within the lease of something else that the owner claimed later. */
  held(session: ModelSession): 'yes' | 'no' | 'either' {
    const { owner, leasedAt } = session;
    if (owner === undefined) return 'no';
    if (this.now < leasedAt + leaseMs) return 'yes';
    return this.now < (this.#seen.get(owner) ?? 0) + leaseMs ? 'either' : 'no';
  }
}

function refused(code: SubagentErrorCode, why: string): Expected {
  return { refused: code, why };
}

function write(session: ModelSession, events: readonly NewSessionEvent[]): void {
  for (const { type, time, data } of events) {
    session.events.push({ seq: session.events.length, time, type, data } as SessionEvent);
  }
}

function headOf({ header, events, epoch, owner }: ModelSession): SessionHead {
  return { header, seq: events.length, epoch, owner };
}
