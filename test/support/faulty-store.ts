/**
 * A store that fails on purpose, around one that does not. For tests of what the runtime does then.
 *
 *     const store = faultyStore(memoryStore());
 *     store.inject({ at: 3, fault: 'reject', error: new SubagentError('STORE_FULL', 'full') });  // the third write from now on
 *     store.inject({ at: { method: 'append', event: 'inbox/claimed' }, fault: 'hang' });         // the next such append
 *     …
 *     await store.reached('append'); store.release();
 *
 * Each fault is used once. Calls that no fault meets go straight to the inner store, in the order in which they were issued.
 * While a call is held back, later calls for the same session wait behind it, as every store promises (store.ts, I5); calls
 * for other sessions overtake it, which a store with one queue would not do and a remote one may.
 */
import { SubagentError } from '../../src/errors.ts';
import type { NewSessionEvent } from '../../src/sessions/event.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { type Fault, type FaultMatch, FaultPlan, fits, type StoreCall, type StoreMethod } from './store-faults.ts';

export interface FaultyStore extends SessionStore {
  /** What is really stored: what a process finds that starts after a crash. */
  readonly inner: SessionStore;
  /** Every call except `close`, in the order of their issue. */
  readonly calls: readonly StoreCall[];
  /** How many writes there have been. */
  readonly writes: number;
  readonly isCrashed: boolean;
  /** Adds a fault. Of several that fit, the first added is used. */
  inject(fault: Fault): void;
  /** Lets all held calls go on to the inner store, or makes them reject with `error`, not done. */
  release(error?: unknown): void;
  /** Resolves when the `nth` call (default 1) that fits is on record. Waits for ever if there never is one. */
  reached(at: FaultMatch): Promise<StoreCall>;
  /** From now on nothing fails any more, and what was held back goes on. */
  heal(): void;
  /** Forgets the record of calls; numbers of writes go on. */
  forgetCalls(): void;
}

export function faultyStore(inner: SessionStore, plan: readonly Fault[] = []): FaultyStore {
  return new FaultyStoreOver(inner, plan);
}

const writeMethods: ReadonlySet<StoreMethod> = new Set(['create', 'claim', 'renew', 'handBack', 'append', 'remove']);

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type RecordedCall = Mutable<StoreCall>;

interface Held {
  readonly go: () => void;
  readonly fail: (error: unknown) => void;
}

class FaultyStoreOver implements FaultyStore {
  readonly inner: SessionStore;
  readonly leaseMs: number;
  writes = 0;
  isCrashed = false;
  #calls: RecordedCall[] = [];
  readonly #plan = new FaultPlan();
  readonly #held = new Set<Held>();
  readonly #watchers = new Set<{ at: FaultMatch; resolve(call: StoreCall): void }>();
  /** The last held call of a session, which later ones wait for. */
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(inner: SessionStore, plan: readonly Fault[]) {
    this.inner = inner;
    this.leaseMs = inner.leaseMs;
    for (const fault of plan) this.inject(fault);
  }

  get calls(): readonly StoreCall[] {
    return this.#calls;
  }

  inject(fault: Fault): void {
    this.#plan.add(fault);
  }

  release(error?: unknown): void {
    const held = [...this.#held];
    this.#held.clear();
    for (const call of held) error === undefined ? call.go() : call.fail(error);
  }

  reached(at: FaultMatch): Promise<StoreCall> {
    return new Promise((resolve) => {
      this.#watchers.add({ at, resolve });
      this.#tellWatchers();
    });
  }

  heal(): void {
    this.#plan.clear();
    this.release();
  }

  forgetCalls(): void {
    this.#calls = [];
  }

  head: SessionStore['head'] = (id) => this.#call('head', id, [], () => this.inner.head(id));
  read: SessionStore['read'] = (id, from) => this.#call('read', id, [], () => this.inner.read(id, from));
  create: SessionStore['create'] = (header, owner, events) =>
    this.#call('create', header.id, events, () => this.inner.create(header, owner, events));
  claim: SessionStore['claim'] = (id, owner) => this.#call('claim', id, [], () => this.inner.claim(id, owner));
  renew: SessionStore['renew'] = (owner) => this.#call('renew', undefined, [], () => this.inner.renew(owner));
  handBack: SessionStore['handBack'] = (id, epoch) => this.#call('handBack', id, [], () => this.inner.handBack(id, epoch));
  append: SessionStore['append'] = (id, at, events) => this.#call('append', id, events, () => this.inner.append(id, at, events));
  check: SessionStore['check'] = (id, epoch) => this.#call('check', id, [], () => this.inner.check(id, epoch));
  remove: SessionStore['remove'] = (id, epoch) => this.#call('remove', id, [], () => this.inner.remove(id, epoch));
  children: SessionStore['children'] = (id) => this.#call('children', id, [], () => this.inner.children(id));
  pending: SessionStore['pending'] = () => this.#call('pending', undefined, [], () => this.inner.pending());
  roots: SessionStore['roots'] = () => this.#call('roots', undefined, [], () => this.inner.roots());
  /** Closes the inner store, except after a crash: a dead process closes nothing. */
  close: SessionStore['close'] = () => (this.isCrashed ? never() : this.inner.close());

  #call<Result>(
    method: StoreMethod,
    session: string | undefined,
    events: readonly NewSessionEvent[],
    run: () => Promise<Result>,
  ): Promise<Result> {
    const write = writeMethods.has(method) ? ++this.writes : undefined;
    const call: RecordedCall = { method, session, events: [...events], write, state: 'passed' };
    this.#calls.push(call);
    const fault = this.#plan.take(call);
    const result = this.isCrashed ? this.#crashed<Result>(call) : this.#inOrder(call, fault, run);
    this.#tellWatchers();
    result.then(
      () => {
        call.state = 'resolved';
      },
      () => {
        call.state = 'rejected';
      },
    );
    return result;
  }

  /** Behind a held call of the same session, if there is one. */
  #inOrder<Result>(call: RecordedCall, fault: Fault | undefined, run: () => Promise<Result>): Promise<Result> {
    const key = call.session;
    const before = key === undefined ? undefined : this.#queues.get(key);
    const holds = fault?.fault === 'hang' || fault?.fault === 'slow';
    const go = () => (this.isCrashed ? this.#crashed<Result>(call) : this.#withFault(call, fault, run));
    if (before === undefined && !holds) return go();
    const result = before === undefined ? go() : before.then(go, go);
    if (key === undefined) return result;
    const over = () => {
      if (this.#queues.get(key) === settled) this.#queues.delete(key);
    };
    const settled: Promise<unknown> = result.then(over, over);
    this.#queues.set(key, settled);
    return result;
  }

  #withFault<Result>(call: RecordedCall, fault: Fault | undefined, run: () => Promise<Result>): Promise<Result> {
    switch (fault?.fault) {
      case undefined:
        return run();
      case 'reject':
        return Promise.reject(fault.error);
      case 'hang':
        return this.#hold(call, run).result;
      case 'slow': {
        const { held, result } = this.#hold(call, run);
        fault.clock.schedule(fault.ms, () => {
          if (!this.#held.delete(held)) return;
          if (fault.error === undefined) held.go();
          else held.fail(fault.error);
        });
        return result;
      }
      case 'unknown':
        return unknownAfter(fault.isDone === false ? Promise.resolve() : run());
      case 'crash':
        this.isCrashed = true;
        if (fault.isDone) run().catch(() => undefined);
        return this.#crashed(call);
    }
  }

  #hold<Result>(call: RecordedCall, run: () => Promise<Result>): { held: Held; result: Promise<Result> } {
    call.state = 'held';
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const go = () => {
      if (!this.isCrashed) resolve(run());
    };
    const held = { go, fail: reject };
    this.#held.add(held);
    return { held, result: promise };
  }

  #crashed<Result>(call: RecordedCall): Promise<Result> {
    call.state = 'crashed';
    return never();
  }

  #tellWatchers(): void {
    for (const watcher of this.#watchers) {
      const call = this.#calls.filter((other) => fits(other, watcher.at))[(watcher.at.nth ?? 1) - 1];
      if (call === undefined) continue;
      this.#watchers.delete(watcher);
      watcher.resolve(call);
    }
  }
}

async function unknownAfter(work: Promise<unknown>): Promise<never> {
  await work;
  throw new SubagentError('OUTCOME_UNKNOWN', 'a test says that nobody knows');
}

function never<Result>(): Promise<Result> {
  return new Promise(() => undefined);
}
