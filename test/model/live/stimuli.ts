/** What brings each event of the activation about in the world: the one table between paths and the real runtime. */
import type { EventObject } from 'xstate';
import type { ActivationEventType } from '../../../src/machines/index.ts';
import { closeAgent } from '../../../src/registry/stop.ts';
import { completed } from './held-provider.ts';
import { parentOf, type Subject } from './opening.ts';
import { refusal, type Stage, subjectId } from './stage.ts';

export interface Scene {
  readonly stage: Stage;
  readonly subject: Subject;
  readonly event: EventObject;
  /** The events of the path that come after it. */
  readonly ahead: readonly EventObject[];
  readonly isFenced: boolean;
  readonly hasWrites: boolean;
  readonly isCancelled: boolean;
}

type Stimulus = (scene: Scene) => void | Promise<void>;

const content = [{ type: 'text', text: 'more' }] as const;
const isExternal = ({ subject }: Scene) => subject.kind === 'external';
const goOn: Stimulus = ({ stage }) => stage.store.release();
const full: Stimulus = ({ stage }) => stage.store.release(refusal('STORE_FULL'));

export const stimuli: Partial<Record<ActivationEventType, Stimulus>> = {
  'activation.materialized': ({ stage, subject }) => {
    if (subject.kind === 'external') stage.outside.starting.give();
    else if (subject.isFresh) stage.store.release();
    else stage.driver.opening.give();
  },
  'activation.failed': async ({ stage, subject, isCancelled }) => {
    const { starting, disposing } = stage.outside;
    if (subject.kind === 'external') {
      isCancelled ? starting.give() : starting.refuse(new Error('as the test says'));
      await stage.rest();
      disposing.give(); // what a cancelled start made is taken back
    } else if (subject.isFresh) stage.store.release(refusal('STORE_FULL'));
    else isCancelled ? stage.driver.opening.give() : stage.driver.opening.refuse(new Error('as the test says'));
  },

  'message.offered': ({ stage, subject, ahead }) => {
    const answers = ['message.accepted', 'message.parked', 'message.refused', 'message.uncertain'];
    const answer = ahead.find(({ type }) => answers.includes(type));
    stage.holdNext('inbox/inserted');
    if (subject.kind !== 'host') stage.call(stage.runtime.sendMessage(parentOf(stage).agent, subjectId, content));
    else if (answer?.type === 'message.parked') stage.call(hostOf(subject).inject(content));
    else stage.call(hostOf(subject).prompt(content));
  },
  'message.accepted': goOn,
  'message.parked': goOn,
  'message.refused': full,
  'message.removed': ({ stage, event }) => {
    const { isParked } = event as unknown as { readonly isParked: boolean };
    const message = stage.adopted.inbox.waiting().find(({ wakes }) => wakes !== isParked);
    if (message === undefined) throw new Error('no such message waits');
    stage.call(stage.runtime.updateQueue(subjectId, { kind: 'remove', messageId: message.messageId }));
  },

  'turn.ended': (scene) => {
    const { stage, event } = scene;
    const { outcome } = event as unknown as { readonly outcome: string };
    if (!isExternal(scene)) stage.driver.ending.give({ stopReason: 'completed' });
    else if (outcome === 'failed') stage.outside.ending.refuse(new Error('as the test says'));
    else stage.outside.ending.give(completed);
  },
  'turn.failed': ({ stage, isFenced }) => {
    if (!isFenced) stage.rejectNext('turn/ended', 'STORE_FULL');
    stage.driver.ending.give({ stopReason: 'completed' });
  },
  'turn.overdue': ({ stage }) => stage.advance(stage.bounds.turnStopMs),
  'inbox.closed': ({ stage }) => stage.call(Promise.resolve(stage.driver.turn?.submitResult({}))),

  'interrupt.requested': ({ stage, subject }) =>
    stage.runtime.interrupt(stage.adopted.id, { kind: 'user', parentSessionId: subject.parentId }),
  'dispose.requested': ({ stage, subject }) => {
    if (subject.kind === 'host') stage.call(closeAgent(stage.registry, stage.adopted.agent));
    else stage.call(stage.runtime.drainChildren(parentOf(stage).agent, [stage.adopted.id]));
  },
  'delegation.closed': ({ stage }) => stage.call(stage.runtime.drainDescendants([stage.adopted.agent])),
  'fence.lost': ({ stage, hasWrites, ahead }) => {
    const heard = ahead.slice(0, 2).map(({ type }) => type); // the sender may hear of it after the flush
    if (hasWrites) return stage.store.release(refusal(heard.includes('message.uncertain') ? 'OUTCOME_UNKNOWN' : 'FENCED'));
    if (!stage.adopted.isOpened) return stage.driver.opening.give();
    stage.store.inject({ at: { method: 'check', session: subjectId }, fault: 'reject', error: refusal('FENCED') });
    stage.call(Promise.resolve(stage.driver.turn?.check()));
  },
  'release.expired': ({ stage }) => stage.advance(stage.bounds.drainMs),

  'child.attached': ({ stage }) => {
    stage.inside.starting.always();
    const signal = new AbortController().signal;
    const request = { prompt: content, parent: stage.adopted.agent };
    stage.call(stage.runtime.startActivation({ provider: 'inside', label: 'kid', request, signal, delivery: 'caller' }));
  },
  'xstate.done.actor.activation': async ({ stage }) => {
    stage.inside.ending.give(completed);
    await stage.rest();
    stage.inside.disposing.give();
  },

  'session.sealed': goOn,
  'seal.failed': full,
  'session.flushed': goOn,
  'flush.failed': full,
  'resources.disposed': (scene) => (isExternal(scene) ? scene.stage.outside.disposing : scene.stage.driver.releasing).give(),
  'dispose.failed': (scene) =>
    (isExternal(scene) ? scene.stage.outside.disposing : scene.stage.driver.releasing).refuse(new Error('as the test says')),
  'parent.notified': ({ stage, subject }) => (subject.kind === 'host' ? stage.store.release() : stage.ear.give()),
  'notify.failed': ({ stage, subject }) => {
    const error = new Error('as the test says');
    subject.kind === 'host' ? stage.store.release(error) : stage.ear.refuse(error);
  },
};

function hostOf({ host }: Subject) {
  if (host === undefined) throw new Error('the host is not open');
  return host;
}
