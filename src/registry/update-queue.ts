/**
 * A person changes what waits for a child (S3.8). The message is taken out of the claimable queue, or changed in it, before
 * anything is awaited, so that no turn can claim an old version; the log follows, and the machine counts last.
 */

import type { Residency } from '../actors/residency.ts';
import { checkContent, contentBytes, copyContent } from '../agents/message-check.ts';
import { SubagentError } from '../errors.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { MessageId } from '../sessions/ids.ts';
import type { InboxMessage } from '../sessions/message.ts';
import { findResident, newEvent, type Registry } from './registry.ts';
import { checkImages } from './send.ts';

export type SubagentQueueChange =
  /** Replaces the content and keeps id and place. */
  | { readonly kind: 'edit'; readonly messageId: MessageId; readonly content: readonly ContentBlock[] }
  | { readonly kind: 'remove'; readonly messageId: MessageId }
  /** Moves a queued message to the next step boundary of the running turn. */
  | { readonly kind: 'steer'; readonly messageId: MessageId };

export async function updateQueue(registry: Registry, childId: string, change: SubagentQueueChange): Promise<void> {
  const child = findResident(registry, childId);
  if (child === undefined || child.kind !== 'local' || child.hasTag('ending')) {
    throw new SubagentError('NOT_RESUMABLE', 'only the queue of a live continuable child can be changed');
  }
  const message = child.inbox.find(change.messageId);
  if (message === undefined || message.source.kind === 'subagent-settled') {
    throw new SubagentError('MESSAGE_NOT_FOUND', 'no unclaimed message has that id; it may have been claimed just now');
  }
  switch (change.kind) {
    case 'edit':
      return edit(registry, child, message, change.content);
    case 'remove':
      return remove(registry, child, message);
    case 'steer':
      return promote(registry, child, message);
    default:
      throw new SubagentError('INVALID_ARGUMENT', 'a queue change is "edit", "remove" or "steer"');
  }
}

async function edit(
  registry: Registry,
  child: Residency,
  message: InboxMessage,
  content: readonly ContentBlock[],
): Promise<void> {
  const bytes = checkContent(content, registry.limits);
  const { messageId } = message;
  const copy = copyContent(content);
  checkImages(child, { ...message, content: copy });
  const growth = bytes - contentBytes(message.content);
  if (child.inboxBytes + growth > registry.limits.inboxBytes)
    throw new SubagentError('INBOX_FULL', 'the inbox has no room for the longer message');
  child.inbox.edit(messageId, copy);
  child.inboxBytes += growth;
  try {
    await child.session?.append([newEvent(registry, 'inbox/edited', { messageId, content: copy })]);
  } catch (fault) {
    child.inbox.edit(messageId, message.content);
    child.inboxBytes -= growth;
    throw fault;
  }
}

async function remove(registry: Registry, child: Residency, message: InboxMessage): Promise<void> {
  const { messageId, wakes } = message;
  child.inbox.remove(messageId);
  try {
    const data = { messageIds: [messageId], waking: wakes ? 1 : 0, reason: 'removed' } as const;
    await child.session?.append([newEvent(registry, 'inbox/discarded', data)]);
  } catch (fault) {
    child.inbox.restore([message]);
    throw fault;
  }
  child.inboxMessages--;
  child.inboxBytes -= contentBytes(message.content);
  child.send({ type: 'message.removed', isParked: !wakes });
}

async function promote(registry: Registry, child: Residency, message: InboxMessage): Promise<void> {
  if (message.lane !== 'turn') throw new SubagentError('INVALID_ARGUMENT', 'the message is taken at the next step already');
  if (child.turn === undefined || child.turn.isAborted)
    throw new SubagentError('INVALID_ARGUMENT', 'only a running agent can be steered');
  child.inbox.promote(message.messageId);
  await child.session?.append([newEvent(registry, 'inbox/promoted', { messageId: message.messageId })]);
}
