/** What the effects reach beyond their own agent. One per runtime. */
import type { Limits } from '../agents/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { OwnerId, SessionStore } from '../sessions/store.ts';
import type { Aborts } from './aborts.ts';
import type { Residency } from './residency.ts';

export interface World {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: SessionStore;
  readonly owner: OwnerId;
  readonly limits: Limits;
  readonly aborts: Aborts;
  /** Every agent in memory, by id. */
  readonly residents: Map<string, Residency>;
  /** A fault that has nobody to answer to is reported, never thrown. */
  report(where: string, fault: unknown): void;
  announceStarted(residency: Residency): void;
  announceEnded(residency: Residency): void;
  returnCapacity(residency: Residency): void;
  /** Asks the children to end and bounds the wait. */
  stopChildren(residency: Residency): void;
  progress(residency: Residency, delta: unknown): void;
}
