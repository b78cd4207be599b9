/** A process with a SQLite store of its own, driven by messages: run by fork, see store-processes.ts. */
import { errorCode } from '../../src/errors.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';

export interface StoreRequest {
  readonly number: number;
  /** A method of the store, or `open` with its options. */
  readonly method: 'open' | Exclude<keyof SessionStore, 'leaseMs'>;
  readonly values: readonly unknown[];
}
export type StoreReply = { readonly number: number } & ({ readonly value: unknown } | { readonly code: string });

let store: SessionStore | undefined;

process.on('message', async ({ number, method, values }: StoreRequest) => {
  try {
    const value = await call(method, values);
    process.send?.({ number, value });
  } catch (error) {
    process.send?.({ number, code: errorCode(error) ?? String(error) });
  }
});
process.on('disconnect', () => process.exit());

async function call(method: StoreRequest['method'], values: readonly unknown[]): Promise<unknown> {
  if (method === 'open') {
    store = sqliteStore(values[0] as Parameters<typeof sqliteStore>[0]);
    return undefined;
  }
  if (store === undefined) throw new Error('not open');
  return await (store[method] as (...given: readonly unknown[]) => Promise<unknown>)(...values);
}
