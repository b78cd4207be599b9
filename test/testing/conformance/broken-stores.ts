/** Stores that break one promise each, over one that keeps them all. */
import type { NewSessionEvent, SessionEvent } from '../../../src/sessions/event.ts';
import type { SessionId } from '../../../src/sessions/ids.ts';
import type { SessionHead, SessionLease, SessionStore } from '../../../src/sessions/store.ts';
import { memoryStore } from '../../../src/sessions/stores/memory.ts';
import type { StoreConformance, StoreOpening } from '../../../src/testing/index.ts';

export interface BrokenStore {
  readonly how: string;
  /** What the name or the message of a failing case says. */
  readonly named: RegExp;
  readonly subject: Omit<StoreConformance, 'name'>;
}

type Break = (inner: SessionStore, opening: StoreOpening) => Partial<SessionStore>;

function broken(how: string, named: RegExp, change: Break, more: Partial<StoreConformance> = {}): BrokenStore {
  const open = (opening: StoreOpening) => {
    const inner = memoryStore(opening);
    return overlaid(inner, change(inner, opening));
  };
  return { how, named, subject: { open, ...more } };
}

/** `inner` with some methods exchanged. */
export function overlaid(inner: SessionStore, changes: Partial<SessionStore>): SessionStore {
  return new Proxy(inner, {
    get(target, key) {
      const value: unknown = Reflect.get(changes, key) ?? Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const later = <Value>(work: () => Promise<Value>) => new Promise<void>((resolve) => setImmediate(resolve)).then(work);

export const brokenStores: readonly BrokenStore[] = [
  broken('acknowledges an append without writing it', /what an append resolved for is in the log \(I2\)/, () => ({
    append: async () => undefined,
  })),
  broken('gives the epoch of a claim that was handed back to the next one', /an epoch is never used again/, (inner) => {
    const back = new Set<string>();
    return {
      handBack: async (id, epoch) => {
        if ((await inner.head(id))?.epoch === epoch) back.add(id);
        await inner.handBack(id, epoch);
      },
      claim: async (id, owner) => {
        const lease = await inner.claim(id, owner);
        return back.has(id) ? { ...lease, epoch: lease.epoch - 1 } : lease;
      },
    };
  }),
  broken('appends at whatever number comes next', /append checks the sequence number/, (inner) => ({
    append: (id, at, events) =>
      refusedAppend(inner, id, at, events, (head) => head.epoch === at.epoch && inner.append(id, head, events)),
  })),
  broken('appends under an epoch that was replaced', /only the newest epoch appends \(I1\)/, (inner) => ({
    append: (id, at, events) =>
      refusedAppend(inner, id, at, events, (head) => head.epoch !== at.epoch && inner.append(id, head, events)),
  })),
  broken('writes the beginning of a batch that it refuses', /a rejected append wrote nothing \(I3\)/, (inner) => ({
    append: (id, at, events) =>
      refusedAppend(inner, id, at, events, async (head) => {
        await inner.append(id, head, events.slice(0, 1));
        return false;
      }),
  })),
  broken('forgets to list what was handed back with work left', /pending counts|pending lists/, (inner) => ({
    pending: async () => (await inner.pending()).filter(({ pending }) => pending.unclaimed !== 1),
  })),
  broken('hands a session back under an older epoch', /handing back an (older epoch|epoch that is not the newest) /, (inner) => ({
    handBack: async (id) => inner.handBack(id, (await inner.head(id))?.epoch ?? 0),
  })),
  broken('takes a session from its owner when somebody looks at it', /looking .*\(I4\)/, (inner) => ({
    read: async (id, from) => {
      const events = await inner.read(id, from);
      await inner.handBack(id, (await inner.head(id))?.epoch ?? 0);
      return events;
    },
  })),
  broken('extends a lease when somebody looks at the session', /looking extends no lease \(I4\)/, (inner) => ({
    head: async (id) => {
      const head = await inner.head(id);
      if (head?.owner !== undefined) await inner.renew(head.owner);
      return head;
    },
  })),
  broken('lets reads overtake writes', /in the order of their issue.*\(I5\)/, (inner) => ({
    append: (...given) => later(() => inner.append(...given)),
  })),
  broken('lets everybody pass its check', /check rejects an epoch that is not the newest/, () => ({
    check: async () => undefined,
  })),
  broken('lets a lease end a moment early', /refused while the lease runs/, (inner, { leaseMs, clock }) => {
    const claims = new Map<string, number>();
    return {
      create: async (header, ...rest) => {
        claims.set(header.id, clock.now());
        return inner.create(header, ...rest);
      },
      claim: async (id, owner) => {
        const head = await inner.head(id);
        if (head !== undefined && clock.now() === (claims.get(id) ?? 0) + leaseMs - 1) await inner.handBack(id, head.epoch);
        return inner.claim(id, owner);
      },
    };
  }),
  broken('lets no lease end', /can be taken over when the lease has ended/, (inner, { clock, leaseMs }) => ({
    claim: async (id, owner) => {
      const head = await inner.head(id);
      if (head?.owner !== undefined && head.owner !== owner && clock.now() >= leaseMs) await inner.renew(head.owner);
      return inner.claim(id, owner);
    },
  })),
  broken('renews for everybody', /on nothing else/, (inner) => ({
    renew: async (owner) => {
      for (const other of new Set([owner, 'a', 'b', 'c'])) await inner.renew(other);
    },
  })),
  broken('lists the children of the seed as its own', /inherited from a fork seed/, (inner) => ({
    children: async (id) => (await inner.read(id)).filter((event) => event.type === 'subagent/child'),
  })),
  broken('lists the newest roots first', /oldest first/, (inner) => ({
    roots: async () => (await inner.roots()).toReversed(),
  })),
  broken('keeps the array of its writer', /what its writer or a reader does with the arrays/, (inner) => ({
    append: (id, at, events) => later(() => inner.append(id, at, events)),
  })),
  broken('hands out the array in which it keeps its log', /what its writer or a reader does with the arrays/, (inner) => {
    const logs = new Map<string, readonly SessionEvent[]>();
    return {
      read: async (id, from) => {
        const kept = logs.get(id);
        const log = await inner.read(id);
        if (kept === undefined || kept.length > log.length) logs.set(id, log);
        return from === undefined ? (logs.get(id) ?? log) : log.slice(from);
      },
    };
  }),
  broken('writes text as UTF-8, which has no lone surrogates', /any text comes back as it was/, (inner) => ({
    create: (header, owner, events) => inner.create(header, owner, throughBytes(events)),
  })),
  broken('leaves the log of a removed session', /a removed session/, (inner) => ({
    remove: async (id, epoch) => {
      await inner.check(id, epoch);
      await inner.handBack(id, epoch);
    },
  })),
  broken('closes before what was issued has come to its end', /close waits for what was issued before/, (inner) => ({
    create: (header, owner, events) => {
      const made = inner.create(header, owner, events);
      made.catch(() => undefined); // its caller hears of it
      return later(() => made);
    },
  })),
  broken('goes on after it was closed', /after close is refused|later calls/, () => ({ close: async () => undefined })),
  broken(
    'never answers an append of nothing',
    /something that was asked for is never answered/,
    (inner) => ({
      append: (id, at, events) => (events.length === 0 ? new Promise(() => undefined) : inner.append(id, at, events)),
    }),
    { timeoutMs: 100 },
  ),
  broken('turns a larger batch round behind ten events', /the log holds every acknowledged event once/, (inner) => ({
    append: async (id, at, events) =>
      inner.append(id, at, at.seq > 10 && events.length > 2 ? [...events.slice(1), ...events.slice(0, 1)] : events),
  })),
  {
    how: 'has nothing left when it is opened anew',
    named: /is there after reopening without a close/,
    subject: { open: memoryStore, reopen: (_, opening) => memoryStore(opening) },
  },
  {
    how: 'forgets the hand-backs when it is opened anew',
    named: /claims, hand-backs and removals are there \(I2\)/,
    subject: {
      open: memoryStore,
      reopen: (store) => overlaid(store, { roots: async () => (await store.roots()).map((head) => ({ ...head, owner: 'a' })) }),
    },
  },
];

/** What a store does with an append that it ought to refuse; false if it refuses it after all. */
async function refusedAppend(
  inner: SessionStore,
  id: SessionId,
  at: SessionLease,
  events: readonly NewSessionEvent[],
  then: (head: SessionHead) => Promise<unknown> | false,
): Promise<void> {
  try {
    await inner.append(id, at, events);
  } catch (error) {
    const head = await inner.head(id);
    if (head === undefined || (await then(head)) === false) throw error;
  }
}

function throughBytes(events: readonly NewSessionEvent[]): readonly NewSessionEvent[] {
  return events.map((event) =>
    event.type === 'inbox/inserted'
      ? { ...event, data: { ...event.data, content: event.data.content.map((block) => ({ ...block, ...textOf(block) })) } }
      : event,
  );
}

function textOf(block: { readonly type: string }): { readonly text?: string } {
  return 'text' in block ? { text: Buffer.from(String(block.text)).toString() } : {};
}
