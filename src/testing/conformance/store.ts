/** The suite that every session store passes: the sentences of src/sessions/store.ts, one by one, and generated histories. */
import type { Clock } from '../../ports/clock.ts';
import type { SessionStore } from '../../sessions/store.ts';
import type { TestSuite } from '../suite.ts';
import { toTestCase } from './store/bench.ts';
import { catalogCases } from './store/catalog.ts';
import { closingCases } from './store/closing.ts';
import { fenceCases } from './store/fences.ts';
import { historyCase } from './store/histories.ts';
import { leaseCases } from './store/leases.ts';
import { logCases } from './store/logs.ts';
import { orderCases } from './store/order.ts';
import { pendingCases } from './store/pending.ts';
import { reopenedCases } from './store/reopened.ts';

export interface StoreOpening {
  /** Time is the suite's: leases go by this clock. */
  readonly clock: Clock;
  /** How long a claim holds, in milliseconds. */
  readonly leaseMs: number;
}

export interface StoreConformance {
  readonly name: string;
  /** Opens a store that holds nothing and shares nothing with those opened before. The suite closes it. */
  open(opening: StoreOpening): SessionStore | Promise<SessionStore>;
  /**
   * For stores that outlive their process: opens another store on what `store` has written, while `store` is not closed. Two
   * stores on one place are also how two processes meet. The suite closes both.
   */
  reopen?(store: SessionStore, opening: StoreOpening): SessionStore | Promise<SessionStore>;
  /** Random histories of calls, compared with a small model of the port. Default: 60 of 40 calls, seed 1. */
  readonly histories?: { readonly count?: number; readonly calls?: number; readonly seed?: number };
  /** Bound of one case in real time, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

/** Cases open a store of their own each. Time moves only by the clock that `open` is given. */
export function testStore(subject: StoreConformance): TestSuite {
  const cases = [
    ...logCases,
    ...fenceCases,
    ...leaseCases,
    ...catalogCases,
    ...pendingCases,
    ...orderCases,
    ...closingCases,
    ...(subject.reopen === undefined ? [] : reopenedCases),
  ];
  return {
    name: `${subject.name} keeps the contract of a session store`,
    tests: [...cases.map((one) => toTestCase(subject, one)), historyCase(subject)],
  };
}
