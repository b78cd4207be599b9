/** A store whose disk is full for a while, or fails for good, from one write on. Answers as the SQLite store does. */
import { SubagentError } from '../../src/errors.ts';
import type { SessionStore } from '../../src/sessions/store.ts';

export type Failure =
  /** One write is refused; there is room again for the next. */
  | 'full once'
  /** Every write is refused until `heal`. */
  | 'full'
  /** A commit fails, and with it everything that comes later. Its own write may have reached the disk. */
  | 'failed, not written'
  | 'failed, written';

export interface FailingStore extends SessionStore {
  /** Calls so far; when they stop, everything has come to rest. */
  readonly calls: number;
  /** Writes so far. */
  readonly writes: number;
  /** Appends to the session whose commit failed. There must be none: nobody knows what is written. */
  readonly retried: number;
  heal(): void;
}

/** Writes are counted from 1. */
export function failingStore(inner: SessionStore, at: number, failure: Failure): FailingStore {
  let calls = 0;
  let writes = 0;
  let isHealed = false;
  let isFailed = false;
  let uncertain: string | undefined;
  let retried = 0;

  function read<Result>(run: () => Promise<Result>): Promise<Result> {
    calls++;
    return isFailed ? Promise.reject(failed()) : run();
  }

  async function write<Result>(run: () => Promise<Result>, appendedTo?: string): Promise<Result> {
    calls++;
    writes++;
    if (appendedTo !== undefined && appendedTo === uncertain) retried++;
    if (isFailed) {
      throw failed();
    }
    if (writes < at || isHealed) return run();
    if (failure === 'full' || (failure === 'full once' && writes === at))
      throw new SubagentError('STORE_FULL', 'the disk is full');
    if (failure === 'full once') return run();
    isFailed = true;
    uncertain = appendedTo;
    if (failure === 'failed, written') await run();
    throw new SubagentError('OUTCOME_UNKNOWN', 'the commit failed');
  }

  return {
    leaseMs: inner.leaseMs,
    get calls() {
      return calls;
    },
    get writes() {
      return writes;
    },
    get retried() {
      return retried;
    },
    heal() {
      isHealed = true;
    },
    head: (id) => read(() => inner.head(id)),
    read: (id, from) => read(() => inner.read(id, from)),
    check: (id, epoch) => read(() => inner.check(id, epoch)),
    children: (id) => read(() => inner.children(id)),
    pending: () => read(() => inner.pending()),
    roots: () => read(() => inner.roots()),
    create: (header, owner, events) => write(() => inner.create(header, owner, events)),
    claim: (id, owner) => write(() => inner.claim(id, owner)),
    renew: (owner) => write(() => inner.renew(owner)),
    handBack: (id, epoch) => write(() => inner.handBack(id, epoch)),
    append: (id, lease, events) => write(() => inner.append(id, lease, events), id),
    remove: (id, epoch) => write(() => inner.remove(id, epoch)),
    close: () => inner.close(),
  };
}

function failed(): SubagentError {
  return new SubagentError('STORE_FAILED', 'the store has failed');
}
