/** Holds what is stored after a test against the contract. */
import { expect } from 'vitest';
import { errorCode } from '../../src/errors.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { checkTrace, describeProblem, type StoreTraceOptions } from '../../src/testing/trace/check.ts';
import type { TraceRuleName } from '../../src/testing/trace/rules.ts';
import type { FaultyStore } from './faulty-store.ts';

/** What the worlds know of a store that they share. */
interface Shared {
  /** Top-level agents that their host runs. */
  readonly hostRun: Set<string>;
  /** Every session that was made: some no catalog lists. */
  readonly ids: Set<string>;
  worlds: number;
}

const byStore = new WeakMap<SessionStore, Shared>();

export class TraceWatch {
  /** How many worlds had the store before. */
  readonly place: number;
  readonly #store: FaultyStore;
  readonly #shared: Shared;
  readonly #expected = new Set<TraceRuleName>();

  constructor(store: FaultyStore) {
    this.#store = store;
    this.#shared = byStore.get(store.inner) ?? { hostRun: new Set(), ids: new Set(), worlds: 0 };
    this.place = this.#shared.worlds++;
    byStore.set(store.inner, this.#shared);
  }

  hostRuns(id: string): void {
    this.#shared.hostRun.add(id);
  }

  expect(rules: readonly TraceRuleName[]): void {
    for (const rule of rules) this.#expected.add(rule);
  }

  /** `isClosed`: all was closed, and no agent met a fault. Nothing may be left to do then, unless the store had one, or another world a part in it. */
  async check(isClosed: boolean): Promise<void> {
    const { calls } = this.#store;
    const { ids, hostRun, worlds } = this.#shared;
    for (const { method, session } of calls) if (method === 'create' && session !== undefined) ids.add(session);
    const isClean = isClosed && worlds === 1 && calls.every(({ write, state }) => write === undefined || state === 'resolved');
    const problems = await this.#problems({ ids, hostRun, ...(isClean && { expects: 'settled' as const }) });
    if (problems === undefined) return;
    const rules = new Set(problems.map(({ rule }) => rule));
    const unexpected = problems.filter(({ rule }) => !this.#expected.has(rule));
    if (unexpected.length > 0)
      throw new Error(`what is stored breaks the contract:\n${unexpected.map(describeProblem).join('\n')}`);
    const unbroken = [...this.#expected].filter((rule) => !rules.has(rule));
    expect(unbroken, 'rules that were to be broken and are not').toEqual([]);
  }

  /** Undefined if the test has closed the store. */
  async #problems(options: StoreTraceOptions) {
    try {
      return (await checkTrace(this.#store.inner, options)).problems;
    } catch (error) {
      if (errorCode(error) !== 'STORE_CLOSED') throw error;
      return undefined;
    }
  }
}
