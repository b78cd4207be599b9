/** The store of a case: memory, with a list of the sessions that are in it and a way to refuse one write. */
import { SubagentError } from '../../../errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { SessionEventType } from '../../../sessions/event.ts';
import type { SessionStore } from '../../../sessions/store.ts';
import { memoryStore } from '../../../sessions/stores/memory.ts';

export interface WatchedStore extends SessionStore {
  /** Ids of the sessions that exist. */
  readonly sessions: ReadonlySet<string>;
  /** Writes so far: create, append, remove. */
  readonly writes: number;
  /** The next append with such an event is refused with `STORE_FULL`. */
  refuseNext(type: SessionEventType): void;
}

export function watchedStore(clock: Clock): WatchedStore {
  const inner = memoryStore({ clock });
  const sessions = new Set<string>();
  const refused = new Set<SessionEventType>();
  let writes = 0;
  const changes: Partial<WatchedStore> = {
    sessions,
    refuseNext: (type) => void refused.add(type),
    async create(header, owner, events) {
      writes++;
      const lease = await inner.create(header, owner, events);
      sessions.add(header.id);
      return lease;
    },
    async append(id, at, events) {
      writes++;
      const type = events.map((event) => event.type).find((candidate) => refused.has(candidate));
      if (type === undefined) return inner.append(id, at, events);
      refused.delete(type);
      throw new SubagentError('STORE_FULL', 'as the suite says');
    },
    async remove(id, epoch) {
      writes++;
      await inner.remove(id, epoch);
      sessions.delete(id);
    },
  };
  return new Proxy(inner as WatchedStore, {
    get(target, key) {
      if (key === 'writes') return writes;
      const value: unknown = Reflect.get(changes, key) ?? Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
