/**
 * A person changes what waits for a child (S3.8).
 *
 * I1  The queue changes before anything is awaited, so that no turn can claim an old version; the log follows. What the log
 *     refuses is undone: same content, same lane, same place, unless a turn has claimed the message meanwhile.
 * I2  The machine's count is that of the queue at every instant, so that no turn is opened for what is no longer there. Only
 *     while the child is held it follows the log: nothing is claimed then that is not written behind the removal.
 */

import { forgetBytes } from '../actors/mail.ts';
import type { ActivationActor, Residency } from '../actors/residency.ts';
import { checkContent, contentBytes } from '../agents/message-check.ts';
import { SubagentError } from '../errors.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { MessageId } from '../sessions/ids.ts';
import type { InboxMessage } from '../sessions/message.ts';
import { fieldsOf } from '../sessions/outside.ts';
import { findResident, newEvent, type Registry } from './registry.ts';
import { checkImages } from './send.ts';

export type SubagentQueueChange =
  /** Replaces the content and keeps id and place. */
  | { readonly kind: 'edit'; readonly messageId: MessageId; readonly content: readonly ContentBlock[] }
  | { readonly kind: 'remove'; readonly messageId: MessageId }
  /** Moves a queued message to the next step boundary of the running turn. */
  | { readonly kind: 'steer'; readonly messageId: MessageId };

export async function updateQueue(registry: Registry, childId: string, change: SubagentQueueChange): Promise<void> {
  const { kind, messageId, content } = fieldsOf(change, ['kind', 'messageId', 'content'], 'a queue change');
  const child = findResident(registry, childId);
  if (child === undefined || child.kind !== 'local' || !child.isOpened || child.hasTag('ending')) {
    throw new SubagentError('NOT_RESUMABLE', 'only the queue of a live continuable child can be changed');
  }
  const message = child.inbox.find(messageId as MessageId);
  if (message === undefined || message.source.form === 'notice') {
    throw new SubagentError('MESSAGE_NOT_FOUND', 'no unclaimed message has that id; it may have been claimed just now');
  }
  switch (kind) {
    case 'edit':
      return edit(registry, child, message, content);
    case 'remove':
      return remove(registry, child, message);
    case 'steer':
      return promote(registry, child, message);
    default:
      throw new SubagentError('INVALID_ARGUMENT', 'a queue change is "edit", "remove" or "steer"');
  }
}

async function edit(registry: Registry, child: Residency, message: InboxMessage, given: unknown): Promise<void> {
  const { content, bytes } = checkContent(given, registry.limits);
  const { messageId } = message;
  checkImages(child, { ...message, content });
  const growth = bytes - contentBytes(message.content);
  if (child.inboxBytes + growth > registry.limits.inboxBytes)
    throw new SubagentError('INBOX_FULL', 'the inbox has no room for the longer message');
  child.inbox.edit(messageId, content);
  child.inboxBytes += growth;
  try {
    await child.session?.append([newEvent(registry, 'inbox/edited', { messageId, content })]);
  } catch (fault) {
    if (child.inbox.find(messageId) !== undefined) {
      child.inbox.edit(messageId, message.content);
      child.inboxBytes -= growth;
    }
    throw fault;
  }
}

async function remove(registry: Registry, child: Residency, message: InboxMessage): Promise<void> {
  const { messageId, wakes } = message;
  const entry = child.inbox.withdraw(messageId);
  const isHeld = (child.actor as ActivationActor).getSnapshot().matches({ resident: { waiting: 'held' } });
  const uncount = () => child.send({ type: 'message.removed', isParked: !wakes });
  if (!isHeld) uncount();
  try {
    const data = { messageIds: [messageId], waking: wakes ? 1 : 0, reason: 'removed' } as const;
    await child.session?.append([newEvent(registry, 'inbox/discarded', data)]);
  } catch (fault) {
    if (entry !== undefined) child.inbox.putBack(entry);
    if (!isHeld) countAgain(child, message);
    throw fault;
  }
  forgetBytes(child, [message]);
  if (isHeld) uncount();
}

/** As a message that comes now: a child whose seal is being written goes on with it. It wakes nobody who is held. */
function countAgain(child: Residency, { wakes }: InboxMessage): void {
  if (child.isReceiving) {
    child.send({ type: 'message.offered' });
    child.send(wakes ? { type: 'message.accepted', isNotice: true } : { type: 'message.parked' });
  } else child.send({ type: 'message.returned', queued: wakes ? 1 : 0, parked: wakes ? 0 : 1 });
}

async function promote(registry: Registry, child: Residency, message: InboxMessage): Promise<void> {
  if (message.lane !== 'turn') throw new SubagentError('INVALID_ARGUMENT', 'the message is taken at the next step already');
  if (child.turn === undefined || child.turn.isAborted)
    throw new SubagentError('INVALID_ARGUMENT', 'only a running agent can be steered');
  const undo = child.inbox.promote(message.messageId);
  try {
    await child.session?.append([newEvent(registry, 'inbox/promoted', { messageId: message.messageId })]);
  } catch (fault) {
    undo?.();
    throw fault;
  }
}
