/** A store that makes an end of its process at one operation: before it is begun, or when it is done and nobody has been told. */
import type { SessionStore } from '../../src/sessions/store.ts';

export interface DyingStore extends SessionStore {
  /** How many operations there have been. */
  readonly operations: number;
}

export type Moment = 'before' | 'after';

const reads: ReadonlySet<string> = new Set(['head', 'read', 'check', 'children', 'pending', 'roots']);

/** Operations are counted from 1, in the order of their issue. A read changes nothing, so it has only one moment. */
export function dyingStore(inner: SessionStore, at: number, moment: Moment, die: () => void): DyingStore {
  let operations = 0;
  async function call<Result>(method: string, run: () => Promise<Result>): Promise<Result> {
    const isLast = ++operations === at;
    if (isLast && (moment === 'before' || reads.has(method))) die();
    const result = await run();
    if (isLast) die();
    return result;
  }
  return {
    leaseMs: inner.leaseMs,
    get operations() {
      return operations;
    },
    head: (id) => call('head', () => inner.head(id)),
    read: (id, from) => call('read', () => inner.read(id, from)),
    create: (header, owner, events) => call('create', () => inner.create(header, owner, events)),
    claim: (id, owner) => call('claim', () => inner.claim(id, owner)),
    renew: (owner) => call('renew', () => inner.renew(owner)),
    handBack: (id, epoch) => call('handBack', () => inner.handBack(id, epoch)),
    append: (id, lease, events) => call('append', () => inner.append(id, lease, events)),
    check: (id, epoch) => call('check', () => inner.check(id, epoch)),
    remove: (id, epoch) => call('remove', () => inner.remove(id, epoch)),
    children: (id) => call('children', () => inner.children(id)),
    pending: () => call('pending', () => inner.pending()),
    roots: () => call('roots', () => inner.roots()),
    close: () => inner.close(),
  };
}
