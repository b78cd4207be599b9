/** Puts messages into the inbox of an agent in memory: offered, committed, accepted, in that order (S3.5, S10.1). */
import { contentBytes } from '../agents/message-check.ts';
import { errorCode, SubagentError } from '../errors.ts';
import type { InboxMessage } from '../sessions/message.ts';
import type { Residency } from './residency.ts';
import type { World } from './world.ts';

/**
 * Commits `message` to the agent's log and its inbox. The agent must be receiving. Rejects `INBOX_FULL` before anything
 * is written, `CANCELLED` if `signal` fires before the agent is open, or with what the store says; a notice is taken at any
 * size, since losing it would lose a result.
 */
export async function offerMessage(world: World, target: Residency, message: InboxMessage, signal?: AbortSignal): Promise<void> {
  const isNotice = message.source.kind === 'subagent-settled';
  const bytes = contentBytes(message.content);
  if (!isNotice) checkRoom(world, target, bytes);
  target.send({ type: 'message.offered' });
  await commitOffered(world, target, message, bytes, signal);
}

/** The second half of an offer, for one that the machine has counted already. */
export async function commitOffered(
  world: World,
  target: Residency,
  message: InboxMessage,
  bytes: number,
  signal?: AbortSignal,
): Promise<void> {
  target.inboxMessages++;
  target.inboxBytes += bytes;
  try {
    if (!target.isOpened) await target.whenOpened();
    if (signal?.aborted === true) throw new SubagentError('CANCELLED', 'the message was cancelled', { cause: signal.reason });
    const { session } = target;
    if (session === undefined) throw new SubagentError('NOT_RESUMABLE', 'the agent has no session');
    await session.append([{ type: 'inbox/inserted', time: world.clock.now(), data: message }]);
  } catch (fault) {
    target.inboxMessages--;
    target.inboxBytes -= bytes;
    target.send({ type: errorCode(fault) === 'OUTCOME_UNKNOWN' ? 'message.uncertain' : 'message.refused' });
    throw fault;
  }
  target.inbox.accept(message);
  if (message.wakes) target.send({ type: 'message.accepted', isNotice: message.source.kind === 'subagent-settled' });
  else target.send({ type: 'message.parked' });
}

export function checkRoom(world: World, target: Residency, bytes: number): void {
  const { inboxMessages, inboxBytes } = world.limits;
  if (target.inboxMessages + 1 > inboxMessages) {
    throw new SubagentError(
      'INBOX_FULL',
      `${target.inboxMessages} messages wait for agent ${target.id}; at most ${inboxMessages} may`,
    );
  }
  if (target.inboxBytes + bytes > inboxBytes) {
    throw new SubagentError('INBOX_FULL', `${target.inboxBytes} bytes wait for agent ${target.id}; at most ${inboxBytes} may`);
  }
}

/** Claimed messages make room. */
export function forgetBytes(residency: Residency, messages: readonly InboxMessage[]): void {
  residency.inboxMessages = Math.max(0, residency.inboxMessages - messages.length);
  for (const message of messages) residency.inboxBytes -= contentBytes(message.content);
  residency.inboxBytes = Math.max(0, residency.inboxBytes);
}
