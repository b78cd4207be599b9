/** Planted faults, one place each. The suite must catch every one; which check does it is printed. */
import { assign, type EventObject } from 'xstate';
import type { ActivationContext, AttachmentContext, RuntimeContext } from '../../src/machines/index.ts';
import type { MachineName } from './checks.ts';
import type { Draft, Fault, Transition } from './mutate.ts';

export interface Mutation {
  readonly machine: MachineName;
  /** What is wrong with it. */
  readonly name: string;
  readonly fault: Fault;
}

const nothing = () => undefined;
const on = (machine: MachineName) => (name: string, fault: Fault) => ({ machine, name, fault });
const activation = on('activation');
const attachment = on('attachment');
const runtime = on('runtime');

type Given = { readonly context: ActivationContext };

function first(draft: Draft, path: string, event: string): Transition {
  const [transition] = draft.on(path, event);
  if (transition === undefined) throw new Error(`${path} does not hear ${event}`);
  return transition;
}

const without = (path: string, event: string) => (draft: Draft) => {
  draft.on(path, event);
  const node = draft.at(path);
  node.on = Object.fromEntries(Object.entries(node.on ?? {}).filter(([name]) => name !== event));
};
const retargeted = (path: string, event: string, target: string) => (draft: Draft) => {
  first(draft, path, event).target = target;
};
const guardedBy = (guard: string, holds: (context: ActivationContext) => boolean) => (draft: Draft) => {
  draft.guards[guard] = ({ context }: Given) => holds(context);
};
const inert = (action: string) => (draft: Draft) => {
  if (!(action in draft.actions)) throw new Error(`the machine has no action ${action}`);
  draft.actions[action] = nothing;
};

const sending: readonly Mutation[] = [
  activation(
    'settles although a message is being appended',
    guardedBy('canSettle', (c) => c.kind !== 'host' && c.queued + c.parked + c.children === 0),
  ),
  activation(
    'settles although a child is live',
    guardedBy('canSettle', (c) => c.kind !== 'host' && c.queued + c.parked + c.offered === 0),
  ),
  activation(
    'settles over parked mail',
    guardedBy('canSettle', (c) => c.kind !== 'host' && c.queued + c.offered + c.children === 0),
  ),
  activation(
    'settles although it is a host',
    guardedBy('canSettle', (c) => c.queued + c.parked + c.offered + c.children === 0),
  ),
  activation('a settled agent ignores an offer', without('resident.settled', 'message.offered')),
  activation('a settled agent ignores a new child', without('resident.settled', 'child.attached')),
  activation('a settled agent that is disposed still admits', inert('closeAdmission')),
  activation(
    'a closed inbox takes a message',
    guardedBy('canOffer', (c) => c.offered < c.bounds.offeredMax && c.queued + c.offered < c.bounds.queuedMax),
  ),
  activation(
    'an external child has an inbox',
    guardedBy(
      'canOffer',
      (c) =>
        (c.kind === 'external' || !c.isInboxClosed) &&
        c.queued + c.offered < c.bounds.queuedMax &&
        c.offered < c.bounds.offeredMax,
    ),
  ),
  activation('an accepted message stays offered', inert('countAccepted')),
  activation('a refused message stays offered', inert('forgetOffered')),
  activation('a claimed message stays queued', inert('countClaimed')),
  activation('a returned message is forgotten', inert('countReturned')),
  activation('a removed message stays queued', inert('countRemoved')),
];

const stopping: readonly Mutation[] = [
  activation('a notice wakes a held agent', (draft) => {
    first(draft, 'resident.waiting.held', 'message.accepted').guard = 'hasOffered';
  }),
  activation(
    'an interrupted agent with mail is not held',
    retargeted('resident.running.interrupting.quiet', 'turn.ended', '#waiting'),
  ),
  activation(
    'an interrupted agent stays held although it was woken',
    without('resident.running.interrupting.quiet', 'message.accepted'),
  ),
  activation('a message after an interrupt of the start stays held', without('materializing.opening', 'message.accepted')),
  activation('an interrupt of the start is forgotten', inert('hold')),
  activation('an interrupted turn is not asked to stop', (draft) => {
    draft.at('resident.running.interrupting').entry = [];
  }),
  activation('a turn that is overdue is waited for', without('resident.running.interrupting', 'turn.overdue')),
  activation(
    'the release does not wait for the turn',
    retargeted('resident.running', 'dispose.requested', '#releasing.emptying'),
  ),
  activation('a second turn begins when a turn is woken', (draft) => {
    draft.at('resident.running.interrupting.woken').entry = ['beginTurn'];
  }),
  activation(
    'a cut agent starts a child',
    guardedBy('canAttach', (c) => c.children < c.bounds.childrenMax),
  ),
  activation('a cancelled start is not cancelled', (draft) => {
    draft.at('materializing.aborting').entry = ['forgetMail'];
  }),
  activation(
    'a start published while it is cancelled lives on',
    retargeted('materializing.aborting', 'activation.materialized', '#resident'),
  ),
];

const releasing: readonly Mutation[] = [
  activation('a child that ended is still counted', inert('forgetChild')),
  activation('a child that starts is not counted', inert('countChild')),
  activation(
    'the release does not wait for children',
    guardedBy('isEmpty', (c) => c.offered === 0),
  ),
  activation(
    'the release does not wait for appends',
    guardedBy('isEmpty', (c) => c.children === 0),
  ),
  activation('the release does not stop children', (draft) => {
    draft.at('releasing').entry = ['forgetMail'];
  }),
  activation('the release waits for appends for ever', without('releasing.emptying', 'release.expired')),
  activation('a child is given up with the appends', (draft) => {
    draft.actions.forgetOffers = assign({ offered: 0, children: 0 });
  }),
  activation('a failed seal is waited for', without('resident.settled', 'seal.failed')),
  activation('the parent is told after the fence is lost', (draft) => {
    draft.on('releasing.disposing', 'resources.disposed').shift();
  }),
  activation('the result is captured after the fence is lost', (draft) => {
    draft.on('releasing.flushing', 'flush.failed').shift();
  }),
  activation('an append of unknown outcome does not lose the fence', (draft) => {
    for (const transition of draft.on('releasing', 'message.uncertain')) transition.actions = ['forgetOffered'];
  }),
  activation('capacity returns after the parent is told', (draft) => {
    draft.at('releasing.disposing').exit = ['announceEnded'];
    draft.at('releasing.notifying').exit = ['returnCapacity'];
  }),
  activation('capacity does not return', (draft) => {
    draft.at('releasing.disposing').exit = ['announceEnded'];
  }),
  activation('the end is announced before the resources are disposed', (draft) => {
    draft.at('releasing.disposing').entry = ['disposeResources', 'announceEnded'];
    draft.at('releasing.disposing').exit = ['returnCapacity'];
  }),
  activation('a late publication is not announced', (draft) => {
    first(draft, 'materializing.aborting', 'activation.materialized').actions = [];
  }),
  activation('a late report of a child has no handler', (draft) => {
    draft.on('', 'xstate.error.actor.activation').pop();
  }),
  activation('mail is kept although it was to be discarded', (draft) => {
    draft.actions.noteDisposed = assign<ActivationContext, EventObject, undefined, EventObject, never>(({ context }) => ({
      reason: 'disposed',
      outcome: context.queued + context.parked + context.offered + context.children > 0 ? 'aborted' : 'none',
    }));
  }),
  activation('the outcome of a turn is lost', inert('noteOutcome')),
  activation('a failed disposal is not noted', inert('noteFailedStep')),
  activation('an edge that nothing takes', (draft) => {
    draft.at('released');
    draft.on('resident.waiting.held', 'message.accepted').push({ guard: 'isExternal', target: '#released' });
  }),
];

const groups: readonly Mutation[] = [
  attachment('a child that ended is still counted', inert('forgetChild')),
  attachment('leaving does not wait for children', (draft) => {
    draft.guards.isEmpty = () => true;
  }),
  attachment('leaving does not stop children', (draft) => {
    draft.at('leaving').entry = [];
  }),
  attachment('a cut agent starts a child', (draft) => {
    draft.at('cut').on = { ...draft.at('cut').on, 'child.attached': { actions: 'countChild' } };
  }),
  attachment('an agent whose session was taken over goes on', without('open', 'fence.lost')),
  attachment('a cut agent whose session was taken over goes on', without('cut', 'fence.lost')),
  attachment('a late report of a child has no handler', (draft) => {
    draft.on('', 'xstate.error.actor.activation').pop();
  }),
  attachment('a child is given up when the bound has passed', (draft) => {
    draft.actions.noteFailedStep = assign({ children: 0, hasFailedStep: true });
  }),
  attachment('too many children count as none', (draft) => {
    draft.guards.hasChildren = ({ context }: { context: AttachmentContext }) => context.children === 1;
  }),
  runtime('closing does not wait for agents', (draft) => {
    draft.guards.isEmpty = ({ context }: { context: RuntimeContext }) => context.agents < 2;
  }),
  runtime('closing does not stop agents', (draft) => {
    draft.at('draining').entry = [];
  }),
  runtime('what the runtime owns is not closed', (draft) => {
    draft.at('closing').entry = [];
  }),
  runtime('a closing runtime admits an agent', (draft) => {
    draft.at('draining').on = { ...draft.at('draining').on, 'agent.opened': { guard: 'canOpen', actions: 'countAgent' } };
  }),
  runtime('an attached agent that left is still counted', without('', 'xstate.done.actor.attachment')),
  runtime('the runtime is closed before its resources are', retargeted('draining', 'always', 'closed')),
];

export const mutations: readonly Mutation[] = [...sending, ...stopping, ...releasing, ...groups];
