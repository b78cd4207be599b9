import type { SessionId } from '../sessions/ids.ts';

/**
 * A live agent, and the right to act as it. The runtime hands out one object per activation and compares by identity:
 * an object of an earlier activation, or one that only looks alike, has no authority. Ids grant nothing.
 */
export interface Agent {
  readonly id: SessionId;
  /** Level below its top-level agent, which is 0. */
  readonly depth: number;
  /** Absolute path of the directory it works in now. */
  readonly cwd: string;
  readonly label: string;
}
