/** Races that exploring the machine brought up, each as the shortest sequence that shows it. */
import { expect, test } from 'vitest';
import { initialTransition, type SnapshotFrom, transition } from 'xstate';
import { type ActivationEvent, type ActivationKind, activationMachine } from '../../src/machines/index.ts';

type Snapshot = SnapshotFrom<typeof activationMachine>;
type Happening =
  | ActivationEvent
  | 'offered'
  | 'accepted'
  | 'interrupt'
  | 'dispose'
  | 'fence'
  | 'failed'
  | 'expired'
  | 'uncertain';

const short = {
  offered: { type: 'message.offered' },
  accepted: { type: 'message.accepted' },
  interrupt: { type: 'interrupt.requested' },
  dispose: { type: 'dispose.requested', mail: 'keep' },
  fence: { type: 'fence.lost' },
  failed: { type: 'activation.failed' },
  expired: { type: 'release.expired' },
  uncertain: { type: 'message.uncertain' },
} as const satisfies Record<string, ActivationEvent>;

const opened = (queued = 0): ActivationEvent => ({ type: 'activation.materialized', queued, parked: 0 });
const ended = (outcome: 'completed' | 'aborted' = 'completed'): ActivationEvent => ({ type: 'turn.ended', outcome });

function live(kind: ActivationKind, ...happenings: readonly Happening[]) {
  let [snapshot]: [Snapshot, unknown] = initialTransition(activationMachine, { id: 'a', kind });
  const effects: string[] = [];
  for (const happening of happenings) {
    const event = typeof happening === 'string' ? short[happening] : happening;
    const [next, actions] = transition(activationMachine, snapshot, event);
    snapshot = next;
    effects.push(...actions.map(({ type }) => type));
  }
  return { snapshot, effects, context: snapshot.context };
}

test('an external child has no inbox and no children from the first moment (S2.10)', () => {
  expect(live('external').snapshot.can({ type: 'message.offered' })).toBe(false);
  expect(live('external', opened(1)).snapshot.can({ type: 'child.attached' })).toBe(false);
});

test('an interrupt during the start holds the prompt (S4.1)', () => {
  expect(live('local', 'interrupt', opened(1)).snapshot.value).toEqual({ resident: { waiting: 'held' } });
});

test('a message accepted after an interrupt during the start is not held back (S4.1)', () => {
  expect(live('local', 'interrupt', 'offered', 'accepted', opened()).effects).toContain('beginTurn');
  expect(live('local', 'interrupt', 'offered', opened(), 'accepted').effects).toContain('beginTurn');
});

test('an interrupt during the start of an agent without mail does not hold its first message (S4.1)', () => {
  expect(live('host', 'interrupt', opened(), 'offered', 'accepted').effects).toContain('beginTurn');
});

test('an interrupt after the waking message holds the agent again (S4.1)', () => {
  const { snapshot } = live('host', opened(1), 'interrupt', 'offered', 'accepted', 'interrupt', ended('aborted'));
  expect(snapshot.value).toEqual({ resident: { waiting: 'held' } });
});

test('a fence lost while a start is cancelled lets it write and tell nothing (S10.2)', () => {
  const { snapshot, effects } = live('local', 'dispose', 'fence', opened(1), { type: 'resources.disposed' });
  expect(snapshot.output).toMatchObject({ reason: 'fenced', outcome: 'failed' });
  expect(effects).not.toContain('flush');
  expect(effects).not.toContain('notify');
});

test('an append of unknown outcome during the release counts as a lost fence, also after it was given up (S10.2)', () => {
  const stopping = live('local', opened(1), 'offered', 'dispose', 'uncertain');
  expect(stopping.context).toMatchObject({ reason: 'fenced', offered: 0 });
  const givenUp = live('local', opened(), 'offered', 'dispose', 'expired', 'uncertain', { type: 'session.flushed' });
  expect(givenUp.effects).not.toContain('capture');
});

test('nothing is captured or told after a fence lost during the flush (S10.2)', () => {
  const { snapshot, effects } = live('host', opened(), 'dispose', 'fence', { type: 'flush.failed' }, { type: 'dispose.failed' });
  expect(snapshot.status).toBe('done');
  expect(effects).not.toContain('capture');
  expect(effects).not.toContain('notify');
});

test('what lost its fence has failed, however its last turn ends (S5.2)', () => {
  expect(live('local', opened(1), 'fence', ended('completed')).context.outcome).toBe('failed');
  expect(live('local', opened(1), 'fence', { type: 'turn.overdue' }).context.outcome).toBe('failed');
});

test('a start that is disposed before it is published was aborted (S5.2)', () => {
  expect(live('local', 'dispose', 'failed').snapshot.output).toMatchObject({ outcome: 'aborted', reason: 'disposed' });
});

test('a turn that cannot write its session ends the activation as failed (S5.2)', () => {
  const { snapshot, context } = live('local', opened(1), { type: 'turn.failed' });
  expect(snapshot.value).toEqual({ releasing: 'flushing' });
  expect(context).toMatchObject({ outcome: 'failed', reason: 'failed' });
});
