/** Session logs in the memory of this process: as fast as an array, gone with the process. Several runtimes may share one. */
import { type Clock, systemClock } from '../../ports/clock.ts';
import type { NewSessionEvent, SessionEvent, SessionEventOf, SessionHeader } from '../event.ts';
import type { SessionId } from '../ids.ts';
import { isPending, type Pending, pendingAfter, pendingAtBirth } from '../pending.ts';
import type { OwnerId, SessionHead, SessionStore } from '../store.ts';
import { defaultLeaseMs } from './lease.ts';
import { busy, closed, exists, fenced, notFound } from './refusals.ts';

export interface MemoryStoreOptions {
  readonly clock?: Clock;
  /** How long a claim holds without `renew`, in milliseconds. Default 30,000. */
  readonly leaseMs?: number;
}

interface Log {
  readonly header: SessionHeader;
  /** Ours alone: readers get copies. What an event's `data` holds is the caller's, who promised by type not to change it. */
  readonly events: SessionEvent[];
  epoch: number;
  owner: OwnerId | undefined;
  pending: Pending;
  /** Made with the first child: most sessions have none. */
  children: SessionEventOf<'subagent/child'>[] | undefined;
}

const done: Promise<void> = Promise.resolve();

/** Keeps everything for its whole life and resolves at once. An append costs about a microsecond. */
export function memoryStore(options: MemoryStoreOptions = {}): SessionStore {
  const { clock = systemClock, leaseMs = defaultLeaseMs } = options;
  return new MemoryStore(clock, leaseMs);
}

class MemoryStore implements SessionStore {
  readonly leaseMs: number;
  readonly #clock: Clock;
  readonly #logs = new Map<SessionId, Log>();
  readonly #roots = new Set<Log>();
  readonly #owing = new Set<Log>();
  /** When the lease of each owner ends, in milliseconds since 1970. */
  readonly #leases = new Map<OwnerId, number>();
  #isClosed = false;

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.leaseMs = leaseMs;
  }

  head(id: SessionId) {
    if (this.#isClosed) return Promise.reject(closed());
    const log = this.#logs.get(id);
    return Promise.resolve(log && headOf(log));
  }

  read(id: SessionId, from = 0) {
    if (this.#isClosed) return Promise.reject(closed());
    const log = this.#logs.get(id);
    return log ? Promise.resolve(log.events.slice(Math.max(0, from))) : Promise.reject(notFound(id));
  }

  create(header: SessionHeader, owner: OwnerId, events: readonly NewSessionEvent[]) {
    if (this.#isClosed) return Promise.reject(closed());
    if (this.#logs.has(header.id)) return Promise.reject(exists(header.id));
    const pending = pendingAtBirth(header, events);
    const log: Log = { header, events: [], epoch: 1, owner, pending, children: undefined };
    this.#logs.set(header.id, log);
    if (header.delegationDepth === 0) this.#roots.add(log);
    if (isPending(pending)) this.#owing.add(log);
    write(log, events);
    this.#leases.set(owner, this.#clock.now() + this.leaseMs);
    return Promise.resolve({ seq: log.events.length, epoch: 1 });
  }

  claim(id: SessionId, owner: OwnerId) {
    if (this.#isClosed) return Promise.reject(closed());
    const log = this.#logs.get(id);
    if (!log) return Promise.reject(notFound(id));
    if (log.owner !== owner && this.#isHeld(log)) return Promise.reject(busy(id));
    log.epoch++;
    log.owner = owner;
    this.#leases.set(owner, this.#clock.now() + this.leaseMs);
    return Promise.resolve({ seq: log.events.length, epoch: log.epoch });
  }

  renew(owner: OwnerId) {
    if (this.#isClosed) return Promise.reject(closed());
    this.#leases.set(owner, this.#clock.now() + this.leaseMs);
    return done;
  }

  handBack(id: SessionId, epoch: number) {
    if (this.#isClosed) return Promise.reject(closed());
    const log = this.#logs.get(id);
    if (log?.epoch === epoch) log.owner = undefined;
    return done;
  }

  append(id: SessionId, at: { readonly seq: number; readonly epoch: number }, events: readonly NewSessionEvent[]) {
    if (this.#isClosed) return Promise.reject(closed());
    const log = this.#logs.get(id);
    if (log === undefined || log.epoch !== at.epoch || log.events.length !== at.seq) return Promise.reject(fenced(id));
    write(log, events);
    const pending = pendingAfter(log.header, log.pending, events);
    if (isPending(pending) !== isPending(log.pending)) {
      if (isPending(pending)) this.#owing.add(log);
      else this.#owing.delete(log);
    }
    log.pending = pending;
    return done;
  }

  check(id: SessionId, epoch: number) {
    if (this.#isClosed) return Promise.reject(closed());
    return this.#logs.get(id)?.epoch === epoch ? done : Promise.reject(fenced(id));
  }

  remove(id: SessionId, epoch: number) {
    if (this.#isClosed) return Promise.reject(closed());
    const log = this.#logs.get(id);
    if (log?.epoch !== epoch) return Promise.reject(fenced(id));
    this.#logs.delete(id);
    this.#roots.delete(log);
    this.#owing.delete(log);
    return done;
  }

  children(id: SessionId) {
    if (this.#isClosed) return Promise.reject(closed());
    const log = this.#logs.get(id);
    return log ? Promise.resolve(log.children?.slice() ?? []) : Promise.reject(notFound(id));
  }

  pending() {
    if (this.#isClosed) return Promise.reject(closed());
    const free = [...this.#owing].filter((log) => !this.#isHeld(log));
    return Promise.resolve(free.map(({ header, pending }) => ({ header, pending })));
  }

  roots() {
    if (this.#isClosed) return Promise.reject(closed());
    return Promise.resolve([...this.#roots].sort((one, other) => one.header.createdAt - other.header.createdAt).map(headOf));
  }

  close() {
    this.#isClosed = true;
    return done;
  }

  #isHeld(log: Log): boolean {
    return log.owner !== undefined && (this.#leases.get(log.owner) ?? 0) > this.#clock.now();
  }
}

/** Events of the log are objects of our own, so that nobody who holds the given ones can renumber or exchange them. */
function write(log: Log, events: readonly NewSessionEvent[]): void {
  for (const { type, time, data } of events) {
    const seq = log.events.length;
    const event = { seq, time, type, data } as SessionEvent;
    log.events.push(event);
    if (event.type !== 'subagent/child' || seq < log.header.inheritedEvents) continue;
    if (log.children === undefined) log.children = [event];
    else log.children.push(event);
  }
}

function headOf(log: Log): SessionHead {
  return { header: log.header, seq: log.events.length, epoch: log.epoch, owner: log.owner };
}
