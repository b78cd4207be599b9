/** S3.5: two lanes, one order per sender, and what opens a turn. */
import { describe, expect, test } from 'vitest';
import { countMail, Inbox } from '../../src/agents/inbox.ts';
import type { MessageId } from '../../src/sessions/ids.ts';
import type { InboxLane, InboxMessage, MessageSource } from '../../src/sessions/message.ts';

const user: MessageSource = { kind: 'user', form: 'prompt' };
const context: MessageSource = { kind: 'context', form: 'inject' };
const notice: MessageSource = { kind: 'subagent-settled', form: 'notice', summary: '', senderSessionId: 'child' };

function message(id: string, lane: InboxLane, source = user, wakes = true): InboxMessage {
  return { messageId: id as MessageId, lane, wakes, source, content: [{ type: 'text', text: id }] };
}

function inboxOf(...messages: readonly InboxMessage[]): Inbox {
  const inbox = new Inbox();
  for (const one of messages) inbox.accept(one);
  return inbox;
}

const ids = (messages: readonly InboxMessage[]) => messages.map(({ messageId }) => messageId);

describe('what opens a turn', () => {
  test('one message of the turn lane opens one turn, in order (S3.5)', () => {
    const inbox = inboxOf(message('a', 'turn'), message('b', 'turn'));
    expect([ids(inbox.claimOpening()), ids(inbox.claimOpening()), ids(inbox.claimOpening())]).toEqual([['a'], ['b'], []]);
  });

  test('the whole step lane comes along with the message that opens (S3.5)', () => {
    const inbox = inboxOf(message('a', 'turn'), message('1', 'step'), message('2', 'step'), message('b', 'turn'));
    expect([ids(inbox.claimOpening()), ids(inbox.claimOpening())]).toEqual([['a', '1', '2'], ['b']]);
  });

  test('a steer that is older opens first, so that a sender’s order is kept (S3.5, I2)', () => {
    const inbox = inboxOf(message('1', 'step'), message('a', 'turn'), message('2', 'step'));
    expect([ids(inbox.claimOpening()), ids(inbox.claimOpening())]).toEqual([['1', '2'], ['a']]);
  });

  test.each([
    ['parked context', context],
    ['a notice that does not wake', notice],
  ])('%s opens no turn of its own, but comes along in its place (S2.8, design ruling 6)', (_, source) => {
    const inbox = inboxOf(
      message('p', 'step', source, false),
      message('a', 'turn'),
      message('q', 'step', source, false),
      message('b', 'turn'),
    );
    expect([ids(inbox.claimOpening()), ids(inbox.claimOpening())]).toEqual([['p', 'a', 'q'], ['b']]);
  });

  test('parked context comes along with a steer too (S2.8)', () => {
    const inbox = inboxOf(message('p', 'step', context, false), message('1', 'step'), message('a', 'turn'));
    expect(ids(inbox.claimOpening())).toEqual(['p', '1']);
  });
});

test('a step boundary takes the whole step lane as one batch, and no turn (S3.5)', () => {
  const inbox = inboxOf(message('a', 'turn'), message('1', 'step'), message('2', 'step'));
  expect([ids(inbox.claimStep()), ids(inbox.claimStep()), ids(inbox.claimOpening())]).toEqual([['1', '2'], [], ['a']]);
});

test('a claim that could not be written is undone: the messages come first again, in their order (S3.5)', () => {
  const inbox = inboxOf(message('a', 'turn'), message('1', 'step'), message('2', 'step'));
  const claimed = inbox.claimOpening();
  inbox.accept(message('3', 'step'));
  inbox.accept(message('b', 'turn'));
  inbox.restore(claimed);
  expect(ids(inbox.waiting())).toEqual(['a', '1', '2', '3', 'b']);
  expect([ids(inbox.claimOpening()), ids(inbox.claimOpening())]).toEqual([['a', '1', '2', '3'], ['b']]);
});

test('what waits is told in order of acceptance; edits keep the place and removals leave no hole (S3.8)', () => {
  const inbox = inboxOf(message('a', 'turn'), message('1', 'step'), message('b', 'turn'));
  inbox.edit('a' as MessageId, [{ type: 'text', text: 'changed' }]);
  inbox.remove('1' as MessageId);
  expect(inbox.waiting().map(({ content }) => content)).toEqual([
    [{ type: 'text', text: 'changed' }],
    [{ type: 'text', text: 'b' }],
  ]);
  inbox.promote('b' as MessageId);
  expect(inbox.find('b' as MessageId)?.lane).toBe('step');
  expect(ids(inbox.claimOpening())).toEqual(['a', 'b']);
});

test('mail counts as queued if it wakes, as parked if it is context, and as neither if it is a notice that does not wake (S2.8)', () => {
  expect(
    countMail([
      message('a', 'turn'),
      message('p', 'step', context, false),
      message('n', 'step', notice, false),
      message('m', 'step', notice),
    ]),
  ).toEqual({ queued: 2, parked: 1 });
});
