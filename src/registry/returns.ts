/**
 * A claim that could not be handed back would hide its session from every recovery for as long as this process lives and renews
 * its lease. So what the store refused to take back is offered again with each renewal, and before anybody asks what is pending.
 */
import type { SessionId } from '../sessions/ids.ts';
import type { SessionStore } from '../sessions/store.ts';

export function withReturns(store: SessionStore): SessionStore {
  /** The newest epoch of each session that was not taken back. */
  const kept = new Map<SessionId, number>();

  async function handBack(id: SessionId, epoch: number): Promise<void> {
    try {
      await store.handBack(id, epoch);
    } catch (error) {
      kept.set(id, Math.max(epoch, kept.get(id) ?? 0));
      throw error;
    }
  }

  async function returnKept(): Promise<void> {
    for (const [id, epoch] of [...kept]) {
      try {
        await store.handBack(id, epoch);
        if (kept.get(id) === epoch) kept.delete(id);
      } catch {
        // the store refuses still; the next renewal asks again, and whoever handed it back was told the first time
      }
    }
  }

  return {
    leaseMs: store.leaseMs,
    handBack,
    async renew(owner) {
      await store.renew(owner);
      if (kept.size > 0) await returnKept();
    },
    async pending() {
      if (kept.size > 0) await returnKept();
      return store.pending();
    },
    head: (id) => store.head(id),
    read: (id, from) => store.read(id, from),
    create: (header, owner, events) => store.create(header, owner, events),
    claim: (id, owner) => store.claim(id, owner),
    append: (id, at, events) => store.append(id, at, events),
    check: (id, epoch) => store.check(id, epoch),
    remove: (id, epoch) => store.remove(id, epoch),
    children: (id) => store.children(id),
    roots: () => store.roots(),
    close: () => store.close(),
  };
}
