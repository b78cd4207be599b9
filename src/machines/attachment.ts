/** A top-level agent that the host runs itself. It never runs turns, takes no capacity and does not settle. */
import { assign, setup } from 'xstate';

export interface AttachmentPorts {
  /** Asks every owned child to end and bounds the wait; `release.expired` when the bound has passed. */
  stopChildren(id: string): void;
}

export interface AttachmentContext {
  readonly id: string;
  readonly children: number;
  readonly childrenMax: number;
  readonly hasFailedStep: boolean;
  /** Another owner has its session: what is below it could write nothing that counts. */
  readonly isFenced: boolean;
}

export type AttachmentEvent =
  | { readonly type: 'child.attached' | 'delegation.closed' | 'leave.requested' | 'fence.lost' | 'release.expired' }
  | { readonly type: 'xstate.done.actor.activation' | 'xstate.error.actor.activation' };

export interface AttachmentInput {
  readonly id: string;
  /** Keeps the graph finite for path generation. */
  readonly childrenMax?: number;
}

export function createAttachmentMachine(ports: AttachmentPorts) {
  return setup({
    types: {
      context: {} as AttachmentContext,
      events: {} as AttachmentEvent,
      input: {} as AttachmentInput,
      tags: {} as 'receiving' | 'delegating' | 'ending',
    },
    guards: {
      canAttach: ({ context }) => context.children < context.childrenMax,
      hasChildren: ({ context }) => context.children > 0,
      isEmpty: ({ context }) => context.children === 0,
    },
    actions: {
      stopChildren: ({ context }) => ports.stopChildren(context.id),
      countChild: assign({ children: ({ context }) => context.children + 1 }),
      forgetChild: assign({ children: ({ context }) => context.children - 1 }),
      noteFenced: assign({ isFenced: true }),
      noteFailedStep: assign({ hasFailedStep: true }),
      /** A late or second report; unhandled it would kill this actor. */
      ignoreLateChild: assign({}),
    },
  }).createMachine({
    id: 'attachment',
    initial: 'open',
    // visualizers start a machine without an input
    context: ({ input }: { input?: AttachmentInput }) => ({
      id: input?.id ?? 'attachment',
      children: 0,
      childrenMax: input?.childrenMax ?? Number.POSITIVE_INFINITY,
      hasFailedStep: false,
      isFenced: false,
    }),
    on: {
      'xstate.done.actor.activation': { guard: 'hasChildren', actions: 'forgetChild' },
      'xstate.error.actor.activation': [{ guard: 'hasChildren', actions: 'forgetChild' }, { actions: 'ignoreLateChild' }],
    },
    states: {
      open: {
        tags: ['receiving', 'delegating'],
        on: {
          'child.attached': { guard: 'canAttach', actions: 'countChild' },
          'delegation.closed': 'cut',
          'leave.requested': 'leaving',
          'fence.lost': { target: 'leaving', actions: 'noteFenced' },
        },
      },
      cut: {
        tags: 'receiving',
        on: { 'leave.requested': 'leaving', 'fence.lost': { target: 'leaving', actions: 'noteFenced' } },
      },
      leaving: {
        tags: 'ending',
        entry: 'stopChildren',
        always: { guard: 'isEmpty', target: 'gone' },
        // never before its children, whose own last steps are bounded
        on: { 'release.expired': { actions: 'noteFailedStep' }, 'fence.lost': { actions: 'noteFenced' } },
      },
      gone: { type: 'final' },
    },
  });
}

/** The machine without effects: for visualizers, path generators and the curious. */
export const attachmentMachine = createAttachmentMachine({ stopChildren: () => undefined });
