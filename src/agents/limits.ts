/** Every bound of the runtime, each with a finite default. Bytes are of UTF-8, times are milliseconds. */

export interface Limits {
  /** Greatest depth of a child whose start names no limit of its own; a top-level agent has depth 0. */
  readonly depthMax: number;
  /** Children that one agent may start in its whole life, over all its activations. */
  readonly childrenPerAgent: number;
  /** Accepted messages that wait in one inbox. */
  readonly inboxMessages: number;
  readonly inboxBytes: number;
  readonly messageBytes: number;
  /** What of a child's final text reaches its parent or caller; `readResult` gives the whole. */
  readonly resultBytes: number;

  /** From admission to publication. */
  readonly materializeMs: number;
  /** From asking a turn to end to giving it up. 5,000 is OTP's default for workers (`shutdown` in supervisor.erl). */
  readonly turnStopMs: number;
  /** One write to the store. */
  readonly appendMs: number;
  /** Releasing what a driver or provider holds for one agent. */
  readonly disposeMs: number;
  /** Telling a parent. */
  readonly notifyMs: number;
  /** Ending a whole subtree; when it has passed, what is left is given up. */
  readonly drainMs: number;
}

export const defaultLimits: Limits = {
  depthMax: 3,
  childrenPerAgent: 256,
  inboxMessages: 1_000,
  inboxBytes: 16 * 1024 * 1024,
  messageBytes: 1024 * 1024,
  resultBytes: 32 * 1024,
  materializeMs: 30_000,
  turnStopMs: 5_000,
  appendMs: 10_000,
  disposeMs: 5_000,
  notifyMs: 15_000,
  drainMs: 30_000,
};

/** Activations that may be live at once, counted from admission to release. */
export interface CapacityLimits {
  /** Below one top-level agent. */
  readonly perRoot: number;
  readonly inAll: number;
}

export const defaultCapacity: CapacityLimits = { perRoot: 8, inAll: 256 };
