/** Messages between parent and child (S3.1 to S3.4). Who may send is checked first, and again at the last moment before acceptance. */
import { bounded } from '../actors/bounded.ts';
import { checkRoom as checkInboxRoom, commitOffered, offerMessage } from '../actors/mail.ts';
import type { ActivationActor, HostPort, Residency } from '../actors/residency.ts';
import type { Agent } from '../agents/agent.ts';
import { checkContent } from '../agents/message-check.ts';
import { SubagentError, toSubagentError } from '../errors.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { MessageId, SessionId } from '../sessions/ids.ts';
import type { InboxLane, InboxMessage, MessageSource } from '../sessions/message.ts';
import { fieldsOf, signalOf } from '../sessions/outside.ts';
import { cancelled, childTarget, liveTarget, notYours } from './child-target.ts';
import { findResident, mustBeExact, type Registry, throwIfAborted } from './registry.ts';
import { admitResume, checkModelTakes, type StoredChild } from './resume.ts';

export interface SubagentSendMessageOptions {
  /** Owns the call only until the message is accepted. */
  readonly signal?: AbortSignal;
}

export async function sendMessage(
  registry: Registry,
  sender: Agent,
  targetId: string,
  content: readonly ContentBlock[],
  options: SubagentSendMessageOptions = {},
): Promise<MessageId> {
  const from = mustBeExact(registry, sender);
  const checked = checkContent(content, registry.limits);
  const signal = signalOf(fieldsOf(options, ['signal'], 'the options').signal);
  if (typeof targetId !== 'string') throw notYours(); // nobody has such an id
  throwIfAborted(signal);
  const source: MessageSource = { kind: 'agent-message', form: 'relay', senderSessionId: from.id as SessionId };
  const message = newMessage(registry, 'step', source, checked.content);
  if (from.parent?.childId === targetId) return sendToParent(registry, from, message);
  await sendToChild(registry, sender, targetId, message, checked.bytes, signal);
  return message.messageId;
}

export function newMessage(
  registry: Registry,
  lane: InboxLane,
  source: MessageSource,
  content: readonly ContentBlock[],
  wakes = true,
): InboxMessage {
  return { messageId: registry.ids.next() as MessageId, lane, wakes, source, content };
}

async function sendToParent(registry: Registry, from: Residency, message: InboxMessage): Promise<MessageId> {
  const { parent } = from;
  if (parent === undefined || parent.isReleased) throw new SubagentError('PARENT_UNAVAILABLE', 'the parent is gone');
  if (parent.host !== undefined) {
    await deliverToHost(registry, parent.host, message);
    return message.messageId;
  }
  if (!parent.isReceiving)
    throw new SubagentError('ACTIVATION_CLOSING', 'the parent takes no messages in this activation any more');
  checkImages(parent, message);
  await offerMessage(registry, parent, message);
  return message.messageId;
}

/** A host is other people's code: bounded, and what it throws is told as a refusal. */
export async function deliverToHost(registry: Registry, host: HostPort, message: InboxMessage): Promise<void> {
  const { clock, limits } = registry;
  const delivered = Promise.withResolvers<void>();
  bounded({
    clock,
    ms: limits.notifyMs,
    name: 'the delivery to the host',
    run: () => host.deliver(message),
    done: () => delivered.resolve(),
    failed: (fault) => delivered.reject(toSubagentError(fault, 'PARENT_UNAVAILABLE', 'the host did not take the message')),
  });
  await delivered.promise;
}

/**
 * Resident: offered to this activation. Being released: after it. Absent: a new activation (S3.2, S2.7). The messages of one
 * sender keep their order, whichever of these they meet. `gone` is called once the message is on its way.
 */
export async function sendToChild(
  registry: Registry,
  sender: Agent,
  targetId: string,
  message: InboxMessage,
  bytes: number,
  signal: AbortSignal | undefined,
  gone: () => void = () => undefined,
): Promise<void> {
  const until = registry.clock.now() + registry.limits.drainMs;
  const way = `${sender.id} ${targetId}`;
  const live = registry.routes.isFree(way)
    ? liveTarget(mustBeExact(registry, sender), findResident(registry, targetId))
    : undefined;
  if (live !== undefined) {
    checkImages(live, message);
    const offered = offerMessage(registry, live, message, signal);
    gone();
    return offered;
  }
  await registry.routes.inOrder(
    way,
    signal,
    () => cancelled(signal),
    (next) =>
      route(registry, {
        ...{ sender, targetId, message, bytes, signal, until },
        gone: () => {
          next();
          gone();
        },
      }),
  );
}

interface Sending {
  readonly sender: Agent;
  readonly targetId: string;
  readonly message: InboxMessage;
  readonly bytes: number;
  readonly signal: AbortSignal | undefined;
  /** How long it may wait for a release, in milliseconds since 1970. */
  readonly until: number;
  /** It has been offered. */
  gone(): void;
}

async function route(registry: Registry, sending: Sending): Promise<void> {
  const { sender, targetId, message, bytes, signal, until, gone } = sending;
  while (true) {
    const { live, stored } = await childTarget(registry, sender, targetId, signal, until);
    throwIfAborted(signal);
    const owner = mustBeExact(registry, sender);
    if (live?.isReceiving === true) {
      checkImages(live, message);
      const offered = offerMessage(registry, live, message, signal);
      gone();
      return offered;
    }
    // anything else that became of the target meanwhile is looked at again
    if (stored !== undefined && !registry.residents.has(targetId)) {
      const resumed = resumeWith(registry, owner, stored, message, bytes, signal);
      gone();
      return resumed;
    }
  }
}

/** Admits the child's next activation with the message counted, and commits the message once it is open. */
async function resumeWith(
  registry: Registry,
  owner: Residency,
  stored: StoredChild,
  message: InboxMessage,
  bytes: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const residency = admitResume(registry, owner, stored, message);
  const cancel = () => giveUpOpening(residency, signal);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    await residency.whenOpened();
    throwIfAborted(signal);
    checkInboxRoom(registry, residency, bytes);
    if (owner.isReleased) throw notYours();
  } catch (fault) {
    residency.send({ type: 'message.refused' });
    throw fault;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
  await commitOffered(registry, residency, message, bytes);
}

/** The only message for which the child was to come back is cancelled: it stays where it was, and nobody hears of it. */
function giveUpOpening(residency: Residency, signal: AbortSignal | undefined): void {
  const { offered } = (residency.actor as ActivationActor).getSnapshot().context;
  if (residency.isOpened || offered > 1) return;
  residency.openingFault ??= new SubagentError('CANCELLED', 'the message was cancelled', { cause: signal?.reason });
  residency.send({ type: 'dispose.requested', mail: 'keep' });
}

export function checkImages(target: Residency, message: InboxMessage): void {
  checkModelTakes(message, target.composition, target.options);
}
