/** Guards and context changes of the activation machine. Pure: counts in, counts out. */
import { assign } from 'xstate';
import type { ActivationContext, ActivationEvent } from './activation-types.ts';

interface Given {
  readonly context: ActivationContext;
  readonly event: ActivationEvent;
}

const isEmpty = (context: ActivationContext) => context.children === 0 && context.offered === 0;

export const countingGuards = {
  hasMail: ({ context }: Given) => context.queued > 0,
  hasNoMail: ({ context }: Given) => context.queued === 0,
  hasAnyMail: ({ context }: Given) => context.queued + context.parked > 0,
  hasOffered: ({ context }: Given) => context.offered > 0,
  isOfferedAndWaking: ({ context, event }: Given) =>
    context.offered > 0 && event.type === 'message.accepted' && event.isNotice !== true,
  hasChildren: ({ context }: Given) => context.children > 0,
  bringsMail: ({ context, event }: Given) => context.queued + mailOf(event).queued > 0,
  isHeldBack: ({ context, event }: Given) => context.isHeld && context.queued + mailOf(event).queued > 0,
  canSettle: ({ context }: Given) => context.kind !== 'host' && context.queued + context.parked === 0 && isEmpty(context),
  canOffer: ({ context }: Given) =>
    !context.isInboxClosed &&
    context.offered < context.bounds.offeredMax &&
    context.queued + context.offered < context.bounds.queuedMax,
  canAttach: ({ context }: Given) => !context.isDelegationClosed && context.children < context.bounds.childrenMax,
  isExternal: ({ context }: Given) => context.kind === 'external',
  isFenced: ({ context }: Given) => context.reason === 'fenced',
  isEmpty: ({ context }: Given) => isEmpty(context),
  canFlush: ({ context }: Given) => context.reason !== 'fenced' && isEmpty(context),
  isEmptyAndFenced: ({ context }: Given) => context.reason === 'fenced' && isEmpty(context),
};

/** An action that replaces some of the context. */
function change(update: (context: ActivationContext, event: ActivationEvent) => Partial<ActivationContext>) {
  return assign<ActivationContext, ActivationEvent, undefined, ActivationEvent, never>(({ context, event }) =>
    update(context, event),
  );
}

const mailOf = (event: ActivationEvent) => ('queued' in event ? event : { queued: 0, parked: 0 });

export const countingActions = {
  countOffered: change(({ offered }) => ({ offered: offered + 1 })),
  forgetOffered: change(({ offered }) => ({ offered: offered - 1 })),
  countAccepted: change(({ offered, queued }) => ({ offered: offered - 1, queued: queued + 1 })),
  countParked: change(({ offered, parked }) => ({ offered: offered - 1, parked: parked + 1 })),
  countWaitingMail: change(({ queued, parked }, event) => ({
    queued: queued + mailOf(event).queued,
    parked: parked + mailOf(event).parked,
  })),
  /** Of an agent that nothing holds back. */
  countOpeningMail: change(({ queued, parked }, event) => ({
    queued: queued + mailOf(event).queued,
    parked: parked + mailOf(event).parked,
    isHeld: false,
  })),
  countClaimed: change(({ queued, parked }, event) => ({
    queued: Math.max(0, queued - mailOf(event).queued),
    parked: Math.max(0, parked - mailOf(event).parked),
  })),
  countReturned: change(({ queued, parked }, event) => ({
    queued: queued + mailOf(event).queued,
    parked: parked + mailOf(event).parked,
  })),
  countRemoved: change(({ queued, parked }, event) =>
    event.type === 'message.removed' && event.isParked
      ? { parked: Math.max(0, parked - 1) }
      : { queued: Math.max(0, queued - 1) },
  ),
  forgetMail: change(() => ({ queued: 0, parked: 0, isHeld: false, isInboxClosed: false, isDelegationClosed: false })),
  forgetOffers: change(() => ({ offered: 0 })),
  countChild: change(({ children }) => ({ children: children + 1 })),
  forgetChild: change(({ children }) => ({ children: children - 1 })),

  hold: change(() => ({ isHeld: true })),
  dropHold: change(() => ({ isHeld: false })),
  closeInbox: change(() => ({ isInboxClosed: true })),
  closeDelegation: change(() => ({ isDelegationClosed: true })),
  closeAdmission: change(() => ({ isInboxClosed: true, isDelegationClosed: true })),

  noteOutcome: change((_, event) => (event.type === 'turn.ended' ? { outcome: event.outcome } : {})),
  /** What was stopped with work left stays `aborted`, however its last turn ended. */
  noteLastOutcome: change(({ outcome, reason }, event) =>
    event.type === 'turn.ended' && outcome !== 'aborted' && reason !== 'fenced' ? { outcome: event.outcome } : {},
  ),
  noteDisposed: change((context, event) => ({
    reason: 'disposed',
    mail: event.type === 'dispose.requested' ? event.mail : 'keep',
    outcome: context.queued + context.parked > 0 || !isEmpty(context) ? 'aborted' : 'none',
  })),
  noteUnfinished: change(() => ({ outcome: 'aborted' })),
  noteInterrupted: change(() => ({ reason: 'interrupted', outcome: 'aborted' })),
  noteFenced: change(() => ({ reason: 'fenced', outcome: 'failed' })),
  noteFailed: change(() => ({ reason: 'failed', outcome: 'failed' })),
  noteOverdue: change(({ reason }) => ({
    hasFailedStep: true,
    outcome: reason === 'fenced' ? 'failed' : 'aborted',
    reason: reason === 'settled' ? 'overdue' : reason,
  })),
  noteFailedStep: change(() => ({ hasFailedStep: true })),
  noteFailedCapture: change(() => ({ hasFailedCapture: true })),
};
