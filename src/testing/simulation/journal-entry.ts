/** One call of a store as data: what is written into the journal, and done again when the journal is read. */
import type { NewSessionEvent, SessionHeader } from '../../sessions/event.ts';
import type { SessionId } from '../../sessions/ids.ts';
import type { OwnerId, SessionLease, SessionStore } from '../../sessions/store.ts';

export type StoreWrite =
  | {
      readonly method: 'create';
      readonly header: SessionHeader;
      readonly owner: OwnerId;
      readonly events: readonly NewSessionEvent[];
    }
  | { readonly method: 'claim'; readonly id: SessionId; readonly owner: OwnerId }
  | { readonly method: 'renew'; readonly owner: OwnerId }
  | { readonly method: 'handBack'; readonly id: SessionId; readonly epoch: number }
  | {
      readonly method: 'append';
      readonly id: SessionId;
      readonly lease: SessionLease;
      readonly events: readonly NewSessionEvent[];
    }
  | { readonly method: 'remove'; readonly id: SessionId; readonly epoch: number };

export type StoreRead =
  | { readonly method: 'head' | 'children'; readonly id: SessionId }
  | { readonly method: 'read'; readonly id: SessionId; readonly from: number | undefined }
  | { readonly method: 'check'; readonly id: SessionId; readonly epoch: number }
  | { readonly method: 'pending' | 'roots' };

export type StoreCall = StoreWrite | StoreRead;

/** `at`: when it took effect, in milliseconds since 1970. */
export type Entry = StoreCall & { readonly at: number };

const writes: ReadonlySet<StoreCall['method']> = new Set(['create', 'claim', 'renew', 'handBack', 'append', 'remove']);

export function isWrite(call: StoreCall): call is StoreWrite {
  return writes.has(call.method);
}

export function entryText(entry: Entry): string {
  return JSON.stringify(entry);
}

export function parseEntry(text: string): Entry {
  return JSON.parse(text) as Entry;
}

/** Which session the call is about. */
export function sessionOf(call: StoreCall): string | undefined {
  if (call.method === 'create') return call.header.id;
  return 'id' in call ? call.id : undefined;
}

export async function perform(store: SessionStore, call: StoreCall): Promise<unknown> {
  switch (call.method) {
    case 'create':
      return store.create(call.header, call.owner, call.events);
    case 'claim':
      return store.claim(call.id, call.owner);
    case 'renew':
      return store.renew(call.owner);
    case 'handBack':
      return store.handBack(call.id, call.epoch);
    case 'append':
      return store.append(call.id, call.lease, call.events);
    case 'remove':
      return store.remove(call.id, call.epoch);
    case 'head':
      return store.head(call.id);
    case 'children':
      return store.children(call.id);
    case 'read':
      return store.read(call.id, call.from);
    case 'check':
      return store.check(call.id, call.epoch);
    case 'pending':
      return store.pending();
    case 'roots':
      return store.roots();
  }
}
