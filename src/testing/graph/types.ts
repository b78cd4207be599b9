/** What goes into path generation and what comes out of it. */
import type { AnyStateMachine, EventFromLogic, InputFrom, SnapshotFrom } from 'xstate';

/** What XState sends by itself: the end of an actor, a timer, a route. */
export interface XStateEvent {
  readonly type: `xstate.${string}`;
  readonly [detail: string]: unknown;
}

export type PathEvent<Machine extends AnyStateMachine> = EventFromLogic<Machine> | XStateEvent;

export interface PathOptions<Machine extends AnyStateMachine> {
  /** What the machine starts with. Bounds that a guard reads belong here: they keep the graph finite. */
  readonly input?: InputFrom<Machine>;
  /**
   * A list adds to the types that the machine names, which are sent bare: its events take the place of the bare one of their
   * type, and are the only ones that reach a wildcard. A function decides alone what can come in a state. Default: the bare types.
   */
  readonly events?: readonly PathEvent<Machine>[] | ((snapshot: SnapshotFrom<Machine>) => readonly PathEvent<Machine>[]);
  /** Leaves out what cannot come in a state. Default: everything can. */
  readonly accepts?: (event: PathEvent<Machine>, snapshot: SnapshotFrom<Machine>) => boolean;
  /**
   * Whether living actors end, fail and emit, and armed timers fire: `xstate.done.actor.<id>` and its like, each at most as often
   * as it could. One in `events` gives the payload. Default: false, and such an event comes only if `events` has it.
   */
  readonly includesActorsAndTimers?: boolean;
  /**
   * `edges`: few paths that together take every edge. `events`: every event that can come in every state, so that what must not
   * happen is tried too, and an edge is taken from each state that it can be taken in; states times events, without those paths
   * that are the beginning of another. Default: `edges`.
   */
  readonly covers?: 'edges' | 'events';
  /** Where a path may stop although the machine goes on. Finished machines are done anyway. */
  readonly isDone?: (snapshot: SnapshotFrom<Machine>) => boolean;
  /** Tells states apart. Default: value, status, context, children and history. */
  readonly stateKey?: (snapshot: SnapshotFrom<Machine>) => string;
  /** Reaching it is `INVALID_ARGUMENT`, with the fields of the context that grow. Default: 10,000. */
  readonly statesMax?: number;
}

/** Edges and states by name, as a path, a recorder or a file has them. */
export interface TakenEdges {
  readonly edges: readonly string[];
  readonly entered?: readonly string[];
}

export interface PathStep<Machine extends AnyStateMachine> {
  readonly event: PathEvent<Machine>;
  /** After the event and all that it set off at once. */
  readonly snapshot: SnapshotFrom<Machine>;
  /** What the event took, in order. */
  readonly edges: readonly string[];
}

export interface MachinePath<Machine extends AnyStateMachine> extends TakenEdges {
  /** `start > item.added > order.placed(count: 2)`. Unique among the paths of one call. */
  readonly name: string;
  /** Before the first step. */
  readonly start: SnapshotFrom<Machine>;
  readonly steps: readonly PathStep<Machine>[];
  /** After the last step. */
  readonly state: SnapshotFrom<Machine>;
  /** Of the start and all steps, each once, in order of first use. */
  readonly edges: readonly string[];
  /** The states that were entered on the way, also those that were left at once. */
  readonly entered: readonly string[];
}
