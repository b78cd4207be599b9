/**
 * A disk in memory that forgets at a power cut what was not synced. Stores that are opened on it one after the other see what
 * the ones before left.
 *
 *     const disk = new SimulatedDisk();
 *     const store = disk.open({ cutAt: 17, kept: 0.5 });        // half of what is unsynced at the 17th operation stays
 *     await Promise.race([work(store), store.cut]);
 *     const next = disk.open();
 *
 * Writes reach the disk together, one turn of the event loop later, and are answered then; reads wait for the writes before
 * them. A cut keeps a beginning of the unsynced writes, each whole, as a log of transactions does.
 */
import type { SessionId } from '../../src/sessions/ids.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { memoryStore } from '../../src/sessions/stores/memory.ts';
import { manualClock } from './manual-clock.ts';

export interface DiskStoreOptions {
  /** The power goes when this operation is issued, counted from 1. Default: never. */
  readonly cutAt?: number;
  /** Which part of the unsynced writes is on disk all the same, from 0 to 1. Default 0. */
  readonly kept?: number;
  /** Answers writes before they are synced: a defect, for tests of the checks. */
  readonly answersEarly?: boolean;
}

export interface DiskStore extends SessionStore {
  /** Resolves when the power goes. From then on no call settles. */
  readonly cut: Promise<void>;
  readonly operations: number;
  /** Every session that is on disk. */
  ids(): readonly SessionId[];
}

interface Write {
  readonly run: (store: SessionStore) => Promise<unknown>;
  readonly created?: SessionId;
  readonly removed?: SessionId;
  /** Set once it is known that the write was not refused. */
  isDone: boolean;
}

/** Between two owners. */
const endOfLeases: Write['run'] = () => Promise.resolve();

export class SimulatedDisk {
  readonly #synced: Write[] = [];

  /** What the store before had claimed is free: its owner is dead. */
  open(options: DiskStoreOptions = {}): DiskStore {
    const clock = manualClock();
    const inner = memoryStore({ clock });
    this.#synced.push({ run: endOfLeases, isDone: true });
    for (const { run } of this.#synced) {
      if (run === endOfLeases) clock.advance(inner.leaseMs + 1);
      else run(inner).catch(() => undefined); // refused as it was the first time
    }
    return openDiskStore(inner, this.#synced, options);
  }
}

function openDiskStore(inner: SessionStore, synced: Write[], options: DiskStoreOptions): DiskStore {
  const { cutAt = Number.POSITIVE_INFINITY, kept = 0, answersEarly = false } = options;
  const cut = Promise.withResolvers<void>();
  let unsynced: Write[] = [];
  let nextSync: Promise<void> | undefined;
  let operations = 0;
  let isCut = false;

  /** True if the power is gone. */
  function count(): boolean {
    if (isCut) return true;
    if (++operations < cutAt) return false;
    isCut = true;
    synced.push(...unsynced.slice(0, Math.round(unsynced.length * kept)).filter(({ isDone }) => isDone));
    cut.resolve();
    return true;
  }

  function sync(): Promise<void> {
    nextSync ??= new Promise((resolve) =>
      setImmediate(() => {
        if (isCut) return;
        synced.push(...unsynced.filter(({ isDone }) => isDone));
        unsynced = [];
        nextSync = undefined;
        resolve();
      }),
    );
    return nextSync;
  }

  function write<Result>(
    run: (store: SessionStore) => Promise<Result>,
    ids: Pick<Write, 'created' | 'removed'> = {},
  ): Promise<Result> {
    if (count()) return never();
    const entry: Write = { ...ids, run, isDone: false };
    unsynced.push(entry);
    const onDisk = sync();
    return run(inner).then(
      async (result) => {
        entry.isDone = true;
        if (!answersEarly) await onDisk;
        return result;
      },
      async (refusal: unknown) => {
        await onDisk;
        throw refusal;
      },
    );
  }

  async function read<Result>(run: () => Promise<Result>): Promise<Result> {
    if (count()) return never();
    if (nextSync !== undefined && !answersEarly) await nextSync;
    return run();
  }

  return {
    leaseMs: inner.leaseMs,
    cut: cut.promise,
    get operations() {
      return operations;
    },
    ids() {
      const removed = new Set(synced.map((entry) => entry.removed));
      return synced.flatMap(({ created }) => (created === undefined || removed.has(created) ? [] : [created]));
    },
    head: (id) => read(() => inner.head(id)),
    read: (id, from) => read(() => inner.read(id, from)),
    check: (id, epoch) => read(() => inner.check(id, epoch)),
    children: (id) => read(() => inner.children(id)),
    pending: () => read(() => inner.pending()),
    roots: () => read(() => inner.roots()),
    create: (header, owner, events) => write((store) => store.create(header, owner, events), { created: header.id }),
    claim: (id, owner) => write((store) => store.claim(id, owner)),
    renew: (owner) => write((store) => store.renew(owner)),
    handBack: (id, epoch) => write((store) => store.handBack(id, epoch)),
    append: (id, at, events) => write((store) => store.append(id, at, events)),
    remove: (id, epoch) => write((store) => store.remove(id, epoch), { removed: id }),
    close: async () => undefined,
  };
}

function never<Result>(): Promise<Result> {
  return new Promise(() => undefined);
}
