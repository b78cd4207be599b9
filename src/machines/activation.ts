/**
 * One residency of an agent in memory, from materialisation to release. Decides only; src/actors does the work.
 *
 * I1  Context holds counts and facts, never messages, sessions or handles; every transition costs the same.
 * I2  Every effect answers exactly once, asynchronously, with an event named for its step. None is sent from inside an action.
 * I3  `settled` means that the seal is being written: what is offered or attached first wins and the agent goes on.
 * I4  A turn is an effect, not an invoke: leaving a state does not end it, so release waits for `turn.ended` or `turn.overdue`.
 * I5  Children are released before their parent: `emptying` holds until every child's done event has come.
 * I6  No `after` and no delayed event: a deadline is armed by the effect it bounds and arrives under the step's name.
 */
import { assign, setup } from 'xstate';
import { countingActions, countingGuards } from './activation-counts.ts';
import { type ActivationPorts, effectsOf, noActivationPorts } from './activation-ports.ts';
import {
  type ActivationContext,
  type ActivationEvent,
  type ActivationInput,
  type ActivationOutput,
  initialContext,
} from './activation-types.ts';

/** One machine object serves all activations of a runtime; the ports find the activation by its id. */
export function createActivationMachine(ports: ActivationPorts) {
  return setup({
    types: {
      context: {} as ActivationContext,
      events: {} as ActivationEvent,
      input: {} as ActivationInput,
      output: {} as ActivationOutput,
      tags: {} as 'receiving' | 'delegating' | 'ending',
    },
    guards: countingGuards,
    actions: {
      ...effectsOf(ports),
      ...countingActions,
      /** A child can report twice or late; by then there is nothing to count, and an unhandled error event would kill this actor. */
      ignoreLateChild: assign({}),
    },
  }).createMachine({
    id: 'activation',
    initial: 'materializing',
    context: ({ input }) => initialContext(input),
    output: ({ context }) => ({ outcome: context.outcome, reason: context.reason, hasFailedStep: context.hasFailedStep }),
    on: {
      'message.accepted': { guard: 'hasOffered', actions: 'countAccepted' },
      'message.parked': { guard: 'hasOffered', actions: 'countParked' },
      'message.refused': { guard: 'hasOffered', actions: 'forgetOffered' },
      'xstate.done.actor.activation': { guard: 'hasChildren', actions: 'forgetChild' },
      'xstate.error.actor.activation': [{ guard: 'hasChildren', actions: 'forgetChild' }, { actions: 'ignoreLateChild' }],
    },
    states: {
      materializing: {
        initial: 'opening',
        states: {
          opening: {
            tags: 'receiving',
            entry: 'materialize',
            on: {
              'message.offered': { guard: 'canOffer', actions: 'countOffered' },
              // what arrives after the interrupt wakes, as it does while a turn winds down
              'message.accepted': { guard: 'isOfferedAndWaking', actions: ['countAccepted', 'dropHold'] },
              'message.uncertain': { guard: 'hasOffered', target: 'aborting', actions: ['forgetOffered', 'noteFenced'] },
              'activation.materialized': [
                { guard: 'isHeldBack', target: '#held', actions: ['countWaitingMail', 'announceStarted'] },
                // not by way of `waiting`: every life goes here, and a step costs as much as an event
                { guard: 'bringsMail', target: '#running', actions: ['countOpeningMail', 'announceStarted'] },
                { target: '#resident', actions: ['countOpeningMail', 'announceStarted'] },
              ],
              'activation.failed': { target: '#released', actions: 'noteFailed' },
              'interrupt.requested': [
                { guard: 'isExternal', target: 'aborting', actions: 'noteInterrupted' },
                { actions: 'hold' },
              ],
              'delegation.closed': { actions: 'closeDelegation' },
              'dispose.requested': { target: 'aborting', actions: ['noteDisposed', 'noteUnfinished'] },
              'fence.lost': { target: 'aborting', actions: 'noteFenced' },
            },
          },
          // what was started is taken back; if it was published in the same instant it is released like any other
          aborting: {
            tags: 'ending',
            entry: ['forgetMail', 'abortMaterialization'],
            on: {
              'activation.materialized': { target: '#releasing.emptying', actions: 'announceStarted' },
              'activation.failed': '#released',
              'message.accepted': { guard: 'hasOffered', actions: 'forgetOffered' },
              'message.parked': { guard: 'hasOffered', actions: 'forgetOffered' },
              'message.uncertain': { guard: 'hasOffered', actions: ['forgetOffered', 'noteFenced'] },
              'fence.lost': { actions: 'noteFenced' },
              'release.expired': { target: '#released', actions: 'noteFailedStep' },
            },
          },
        },
      },
      resident: {
        id: 'resident',
        initial: 'waiting',
        tags: ['receiving', 'delegating'],
        on: {
          'message.offered': { guard: 'canOffer', actions: 'countOffered' },
          'message.uncertain': { guard: 'hasOffered', target: '#releasing.emptying', actions: ['forgetOffered', 'noteFenced'] },
          'message.claimed': { guard: 'hasAnyMail', actions: 'countClaimed' },
          'message.returned': { actions: 'countReturned' },
          'message.removed': { guard: 'hasAnyMail', actions: 'countRemoved' },
          'child.attached': { guard: 'canAttach', actions: 'countChild' },
          'inbox.closed': { actions: 'closeInbox' },
          'delegation.closed': { actions: 'closeDelegation' },
          'dispose.requested': { target: '#releasing.emptying', actions: 'noteDisposed' },
          'fence.lost': { target: '#releasing.emptying', actions: 'noteFenced' },
        },
        states: {
          waiting: {
            id: 'waiting',
            initial: 'idle',
            states: {
              idle: {
                always: [
                  { guard: 'hasMail', target: '#running' },
                  { guard: 'canSettle', target: '#settled' },
                ],
              },
              // interrupted with mail left: a new waking message, or an empty inbox, moves it; a notice does not
              held: {
                id: 'held',
                entry: 'dropHold',
                always: { guard: 'hasNoMail', target: 'idle' },
                on: { 'message.accepted': { guard: 'isOfferedAndWaking', target: '#running', actions: 'countAccepted' } },
              },
            },
          },
          running: {
            id: 'running',
            initial: 'active',
            entry: 'beginTurn',
            on: {
              'turn.ended': [
                { guard: 'hasMail', target: '#running', reenter: true, actions: 'noteOutcome' },
                { guard: 'canSettle', target: '#settled', actions: 'noteOutcome' },
                { target: '#waiting', actions: 'noteOutcome' },
              ],
              'turn.failed': { target: '#releasing.emptying', actions: 'noteFailed' },
              'message.uncertain': {
                guard: 'hasOffered',
                target: '#releasing.stopping',
                actions: ['forgetOffered', 'noteFenced'],
              },
              'dispose.requested': { target: '#releasing.stopping', actions: 'noteDisposed' },
              'fence.lost': { target: '#releasing.stopping', actions: 'noteFenced' },
            },
            states: {
              active: { on: { 'interrupt.requested': 'interrupting' } },
              interrupting: {
                initial: 'quiet',
                entry: 'stopTurn',
                on: { 'turn.overdue': { target: '#releasing.emptying', actions: 'noteOverdue' } },
                states: {
                  quiet: {
                    on: {
                      'message.accepted': { guard: 'isOfferedAndWaking', target: 'woken', actions: 'countAccepted' },
                      'turn.ended': { target: '#held', actions: 'noteOutcome' },
                    },
                  },
                  woken: { on: { 'interrupt.requested': 'quiet' } },
                },
              },
            },
          },
          settled: {
            id: 'settled',
            entry: 'seal',
            on: {
              'message.offered': { guard: 'canOffer', target: 'waiting', actions: 'countOffered' },
              'child.attached': { guard: 'canAttach', target: 'waiting', actions: 'countChild' },
              'dispose.requested': { actions: 'closeAdmission' },
              'fence.lost': { target: '#releasing.disposing', actions: 'noteFenced' },
              'session.sealed': '#releasing.capturing',
              'seal.failed': '#releasing.capturing',
            },
          },
        },
      },
      releasing: {
        id: 'releasing',
        initial: 'stopping',
        tags: 'ending',
        entry: ['forgetMail', 'stopChildren'],
        on: {
          // it stays in the log; whoever resumes the session finds it there
          'message.accepted': { guard: 'hasOffered', actions: 'forgetOffered' },
          'message.parked': { guard: 'hasOffered', actions: 'forgetOffered' },
          'message.uncertain': [{ guard: 'hasOffered', actions: ['forgetOffered', 'noteFenced'] }, { actions: 'noteFenced' }],
          'fence.lost': { actions: 'noteFenced' },
        },
        states: {
          stopping: {
            entry: 'stopTurn',
            on: {
              // with nothing to wait for, not by way of `emptying`
              'turn.ended': [
                { guard: 'canFlush', target: 'flushing', actions: 'noteLastOutcome' },
                { target: 'emptying', actions: 'noteLastOutcome' },
              ],
              'turn.failed': { target: 'emptying', actions: 'noteFailedStep' },
              'turn.overdue': { target: 'emptying', actions: 'noteOverdue' },
              'release.expired': { target: 'emptying', actions: ['noteOverdue', 'forgetOffers'] },
            },
          },
          emptying: {
            always: [
              { guard: 'isEmptyAndFenced', target: 'disposing' },
              { guard: 'isEmpty', target: 'flushing' },
            ],
            // never before its children, whose own last steps are bounded
            on: { 'release.expired': { actions: ['noteFailedStep', 'forgetOffers'] } },
          },
          flushing: {
            entry: 'flush',
            on: {
              'session.flushed': [{ guard: 'isFenced', target: 'disposing' }, { target: 'capturing' }],
              'flush.failed': [{ guard: 'isFenced', target: 'disposing' }, { target: 'capturing' }],
            },
          },
          capturing: {
            entry: 'capture',
            on: { 'result.captured': 'disposing', 'capture.failed': { target: 'disposing', actions: 'noteFailedCapture' } },
          },
          disposing: {
            entry: 'disposeResources',
            exit: ['returnCapacity', 'announceEnded'],
            on: {
              'resources.disposed': [{ guard: 'isFenced', target: '#released' }, { target: 'notifying' }],
              'dispose.failed': [
                { guard: 'isFenced', target: '#released', actions: 'noteFailedStep' },
                { target: 'notifying', actions: 'noteFailedStep' },
              ],
            },
          },
          notifying: { entry: 'notify', on: { 'parent.notified': '#released', 'notify.failed': '#released' } },
        },
      },
      released: { id: 'released', type: 'final' },
    },
  });
}

export type ActivationMachine = ReturnType<typeof createActivationMachine>;

/** The machine without effects: for visualizers, path generators and the curious. */
export const activationMachine = createActivationMachine(noActivationPorts);
