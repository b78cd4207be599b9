/** Listing 1,000 children: while all of them live, and from a store that nobody has opened before. No child is opened for it. */
import { createRuntime, type SessionStore, type SubagentRuntime } from '../../src/index.ts';
import { memoryStore } from '../../src/sessions/stores/memory.ts';
import { type Case, type Spent, timed } from '../measure.ts';
import { besideFloors, type Effort, floorFields, type Row, sized } from '../row.ts';
import { BusyTurns, openWorld } from '../scripted.ts';
import { openTimedStore } from '../timed-store.ts';

interface Listing {
  readonly live: Case;
  readonly cold: Case;
  close(): Promise<void>;
}

/** `reopen` gives the store as a second process would find it. */
async function listing(children: number, store: SessionStore, reopen: () => SessionStore): Promise<Listing> {
  const busy = new BusyTurns();
  const { runtime, root, start, close } = await openWorld({ turn: busy.turn, store });
  await Promise.all(Array.from({ length: children }, async () => busy.agent((await start()).childId)));
  const list = (from: SubagentRuntime): Promise<Spent> =>
    timed(1, async () => mustBe(children, await from.listChildren(root.id)));
  return {
    live: () => list(runtime),
    async cold() {
      const reopened = reopen();
      const other = createRuntime({ store: reopened });
      const spent = await list(other);
      await other.close();
      if (reopened !== store) await reopened.close();
      return spent;
    },
    close,
  };
}

function mustBe(children: number, listed: readonly unknown[]): void {
  if (listed.length !== children) throw new Error(`${listed.length} of ${children} children were listed`);
}

export const list1000: Row = {
  name: 'list1000',
  unit: 'ms',
  of: '1,000 children: the slowest of live and cold, memory and SQLite',
  async measure(effort: Effort) {
    const children = sized(effort, 1_000);
    const store = memoryStore();
    await using timed = openTimedStore();
    const memory = await listing(children, store, () => store);
    const disk = await listing(children, timed.store, timed.reopen);
    const measured = await besideFloors(
      effort,
      { warmUps: 10, counted: 15 },
      { memoryLive: memory.live, memoryCold: memory.cold, sqliteLive: disk.live, sqliteCold: disk.cold },
    );
    await memory.close();
    await disk.close();
    const { memoryLive, memoryCold, sqliteLive, sqliteCold } = measured;
    const slowestUs = Math.max(...[memoryLive, memoryCold, sqliteLive, sqliteCold].map(({ wallUs }) => wallUs));
    return {
      value: slowestUs / 1_000,
      ...floorFields(slowestUs / children, measured),
      memoryLiveMs: memoryLive.wallUs / 1_000,
      memoryColdMs: memoryCold.wallUs / 1_000,
      sqliteLiveMs: sqliteLive.wallUs / 1_000,
      sqliteColdMs: sqliteCold.wallUs / 1_000,
      children,
    };
  },
};
