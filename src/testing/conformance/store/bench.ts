/** What one case of the store suite works with, and what is left when it is over: nothing. */
import type { SessionStore } from '../../../sessions/store.ts';
import { type ManualClock, manualClock } from '../../clock.ts';
import type { TestCase } from '../../suite.ts';
import { guardedCase } from '../guarded.ts';
import type { StoreConformance } from '../store.ts';

/** The lease that every store of the suite has, in milliseconds. */
export const leaseMs = 1_000;

export interface StoreBench {
  readonly clock: ManualClock;
  /** Holds nothing. */
  readonly store: SessionStore;
  /** Another store on what `store` has written, which is not closed. Only if the subject can. */
  reopen(store: SessionStore): Promise<SessionStore>;
}

export interface StoreCase {
  readonly name: string;
  run(bench: StoreBench): Promise<void>;
}

export function toTestCase(subject: StoreConformance, { name, run }: StoreCase): TestCase {
  return guardedCase(name, subject.timeoutMs ?? 30_000, () => withBench(subject, run));
}

/** Gives `run` a fresh store and closes all that were opened, also after a failure, which then counts. */
export async function withBench<Value>(subject: StoreConformance, run: (bench: StoreBench) => Promise<Value>): Promise<Value> {
  const clock = manualClock();
  const opened: SessionStore[] = [];
  const keep = (store: SessionStore) => {
    opened.push(store);
    return store;
  };
  let value: Value;
  try {
    const store = keep(await subject.open({ clock, leaseMs }));
    const reopen = async (from: SessionStore) => {
      if (subject.reopen === undefined) throw new Error('this store cannot be reopened');
      return keep(await subject.reopen(from, { clock, leaseMs }));
    };
    value = await run({ clock, store, reopen });
  } catch (error) {
    await closeAll(opened).catch(() => undefined); // what failed first is told
    throw error;
  }
  await closeAll(opened);
  return value;
}

/** The newest first: it may hold what the others have left behind. */
async function closeAll(stores: readonly SessionStore[]): Promise<void> {
  for (const store of stores.toReversed()) await store.close();
}
