/** The store as one process sees it: each call is on its way until the schedule lets it arrive, in order. */
import { SubagentError } from '../../errors.ts';
import type { SessionStore } from '../../sessions/store.ts';
import type { Database } from './database.ts';
import type { StoreCall } from './journal-entry.ts';
import type { Doer } from './schedule.ts';

export class DatabaseClient implements SessionStore {
  readonly leaseMs: number;
  readonly #database: Database;
  readonly #doer: Doer;
  #isClosed = false;

  constructor(database: Database, doer: Doer) {
    this.#database = database;
    this.#doer = doer;
    this.leaseMs = database.options.leaseMs;
  }

  head: SessionStore['head'] = (id) => this.#call({ method: 'head', id });
  read: SessionStore['read'] = (id, from) => this.#call({ method: 'read', id, from });
  create: SessionStore['create'] = (header, owner, events) =>
    this.#call({ method: 'create', header, owner, events: [...events] });
  claim: SessionStore['claim'] = (id, owner) => this.#call({ method: 'claim', id, owner });
  renew: SessionStore['renew'] = (owner) => this.#call({ method: 'renew', owner });
  handBack: SessionStore['handBack'] = (id, epoch) => this.#call({ method: 'handBack', id, epoch });
  append: SessionStore['append'] = (id, { seq, epoch }, events) =>
    this.#call({ method: 'append', id, lease: { seq, epoch }, events: [...events] });
  check: SessionStore['check'] = (id, epoch) => this.#call({ method: 'check', id, epoch });
  remove: SessionStore['remove'] = (id, epoch) => this.#call({ method: 'remove', id, epoch });
  children: SessionStore['children'] = (id) => this.#call({ method: 'children', id });
  pending: SessionStore['pending'] = () => this.#call({ method: 'pending' });
  roots: SessionStore['roots'] = () => this.#call({ method: 'roots' });

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #call<Result>(call: StoreCall): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new SubagentError('STORE_CLOSED', 'the store is closed'));
    return new Promise<Result>((resolve, reject) => {
      const { schedule } = this.#database.options;
      const arrive = () => this.#database.run(call, this.#doer, resolve as (value: unknown) => void, reject);
      schedule.add(`store ${this.#doer.name}`, call.method, arrive, this.#doer);
    });
  }
}
