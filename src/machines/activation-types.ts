/** What the activation machine hears and remembers. */

/**
 * `local`: a child with a session. `external`: a child that runs elsewhere, without an inbox.
 * `host`: a top-level agent that runs on a driver; it never settles by itself.
 */
export type ActivationKind = 'local' | 'external' | 'host';

/** How the last turn ended, as far as the machine cares; the exact stop reason travels beside it. */
export type ActivationOutcome = 'none' | 'completed' | 'aborted' | 'failed';

/** Why it is being released. */
export type ReleaseReason = 'settled' | 'disposed' | 'interrupted' | 'overdue' | 'fenced' | 'failed';

/** Whether unclaimed messages are dropped for good or left for the next activation. */
export type MailPolicy = 'keep' | 'discard';

/** Bounds that keep the graph finite for path generation. Absent: the registry's limits are the only ones. */
export interface ActivationBounds {
  readonly queuedMax?: number;
  readonly offeredMax?: number;
  readonly childrenMax?: number;
}

export interface ActivationInput {
  readonly id: string;
  readonly kind: ActivationKind;
  readonly bounds?: ActivationBounds;
}

export interface ActivationContext {
  readonly id: string;
  readonly kind: ActivationKind;
  /** Accepted messages that wake and wait to be claimed. */
  readonly queued: number;
  /** Accepted messages that do not wake. */
  readonly parked: number;
  /** Messages whose append is in flight. */
  readonly offered: number;
  /** Owned children that are not released yet. */
  readonly children: number;
  /** An interrupt came before there was a turn. */
  readonly isHeld: boolean;
  readonly isInboxClosed: boolean;
  readonly isDelegationClosed: boolean;
  readonly outcome: ActivationOutcome;
  readonly reason: ReleaseReason;
  readonly mail: MailPolicy;
  readonly hasFailedStep: boolean;
  readonly hasFailedCapture: boolean;
  readonly bounds: Required<ActivationBounds>;
}

export interface ActivationOutput {
  readonly outcome: ActivationOutcome;
  readonly reason: ReleaseReason;
  readonly hasFailedStep: boolean;
}

export type ActivationEvent =
  /** With the mail that waits in the log. */
  | { readonly type: 'activation.materialized'; readonly queued: number; readonly parked: number }
  | { readonly type: 'activation.failed' }
  | { readonly type: 'message.offered' }
  /** A notice waits with the rest while the agent is held. */
  | { readonly type: 'message.accepted'; readonly isNotice?: boolean }
  | { readonly type: 'message.parked' }
  | { readonly type: 'message.refused' }
  /** The append's outcome is unknown, so this activation may write nothing more. */
  | { readonly type: 'message.uncertain' }
  | { readonly type: 'message.claimed'; readonly queued: number; readonly parked: number }
  /** A claim could not be written; the messages wait again. */
  | { readonly type: 'message.returned'; readonly queued: number; readonly parked: number }
  | { readonly type: 'message.removed'; readonly isParked: boolean }
  | { readonly type: 'turn.ended'; readonly outcome: Exclude<ActivationOutcome, 'none'> }
  /** The session could not be written: no turn can run on it any more. */
  | { readonly type: 'turn.failed' }
  | { readonly type: 'turn.overdue' }
  | { readonly type: 'inbox.closed' }
  | { readonly type: 'delegation.closed' }
  | { readonly type: 'child.attached' }
  | { readonly type: 'interrupt.requested' }
  | { readonly type: 'dispose.requested'; readonly mail: MailPolicy }
  | { readonly type: 'fence.lost' }
  | { readonly type: 'release.expired' }
  | { readonly type: 'session.sealed' | 'session.flushed' | 'result.captured' | 'resources.disposed' | 'parent.notified' }
  | { readonly type: 'seal.failed' | 'flush.failed' | 'capture.failed' | 'dispose.failed' | 'notify.failed' }
  | { readonly type: 'xstate.done.actor.activation' | 'xstate.error.actor.activation' };

export type ActivationEventType = ActivationEvent['type'];

/** Without an input it is a local one: visualizers start a machine with none. */
export function initialContext({ id, kind, bounds }: ActivationInput = { id: 'activation', kind: 'local' }): ActivationContext {
  const { queuedMax = Number.POSITIVE_INFINITY, offeredMax = queuedMax, childrenMax = Number.POSITIVE_INFINITY } = bounds ?? {};
  return {
    id,
    kind,
    queued: 0,
    parked: 0,
    offered: 0,
    children: 0,
    isHeld: false,
    isInboxClosed: kind === 'external',
    isDelegationClosed: kind === 'external',
    outcome: 'none',
    reason: 'settled',
    mail: 'keep',
    hasFailedStep: false,
    hasFailedCapture: false,
    bounds: bounds === undefined ? unbounded : { queuedMax, offeredMax, childrenMax },
  };
}

const unbounded: Required<ActivationBounds> = {
  queuedMax: Number.POSITIVE_INFINITY,
  offeredMax: Number.POSITIVE_INFINITY,
  childrenMax: Number.POSITIVE_INFINITY,
};
