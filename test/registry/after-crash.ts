/** A world that goes on with what another left when its process died. */
import type { OpenAgentSetup } from '../../src/registry/top-level.ts';
import type { OpenAgent } from '../../src/registry/top-level-handle.ts';
import { textOf } from '../../src/sessions/content.ts';
import type { SessionId } from '../../src/sessions/ids.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import type { FaultMatch } from '../support/store-faults.ts';
import { openWorld, type World, type WorldSetup } from '../support/world.ts';

export const rootId = 'the-root' as SessionId;

/** A store keeps the clock of the first world that had it. */
const clocks = new WeakMap<SessionStore, ManualClock>();

/** The process dies at the next such call, with the call done on disk or not. */
export function crashAt(world: World, at: FaultMatch, isDone: boolean): void {
  world.store.inject({ at, fault: 'crash', isDone });
}

/** `before` dies now, if it has not yet, and its leases run out. Nothing that it still does reaches the store. */
export function afterCrash(before: World, setup: WorldSetup = {}): World {
  if (!before.store.isCrashed) {
    before.store.inject({ at: 1, fault: 'crash' });
    before.store.renew('the last write').catch(() => undefined);
  }
  before.abandon();
  const { inner, leaseMs } = before.store;
  const clock = clocks.get(inner) ?? before.clock;
  clocks.set(inner, clock);
  clock.advance(leaseMs);
  return openWorld({ ...setup, store: () => inner });
}

export function reopened(world: World, setup: Partial<OpenAgentSetup> = {}): Promise<OpenAgent> {
  return world.openRoot({ id: rootId, ...setup });
}

/** What the runtime has told this agent of its children, in order. */
export async function textOfNotices(world: World, id: string): Promise<readonly string[]> {
  const inserted = await world.logOf(id, 'inbox/inserted');
  return inserted.filter(({ data }) => data.source.kind === 'subagent-settled').map(({ data }) => textOf(data.content));
}
