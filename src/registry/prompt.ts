/** A person's message to a child (S3.7). The request id is the caller's: repeating it, also after a restart, delivers nothing twice. */
import type { Residency } from '../actors/residency.ts';
import { checkContent } from '../agents/message-check.ts';
import { errorCode, SubagentError } from '../errors.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { SessionEvent, SessionHeader } from '../sessions/event.ts';
import { isSessionId, type MessageId, toSessionId } from '../sessions/ids.ts';
import type { InboxMessage } from '../sessions/message.ts';
import { fieldsOf, signalOf } from '../sessions/outside.ts';
import { childTarget } from './child-target.ts';
import { RecoveryPlaces } from './recovery-places.ts';
import { type Registry, throwIfAborted } from './registry.ts';
import { sendToChild } from './send.ts';
import { untilAborted } from './until-aborted.ts';

export interface SubagentPromptRequest {
  /** The direct parent. One that has settled is reopened below a live agent. */
  readonly parentId: string;
  readonly childId: string;
  /** `queue`: opens a turn of its own. `steer`: joins the running turn at its next step boundary, or opens one. */
  readonly delivery: 'queue' | 'steer';
  /** 1 to 128 characters; minted by the caller. */
  readonly requestId: string;
  readonly content: readonly ContentBlock[];
  /** An IANA name, kept with the message. */
  readonly timeZone?: string;
}

const requestIdCharactersMax = 128;

export async function prompt(registry: Registry, given: SubagentPromptRequest, givenSignal?: AbortSignal): Promise<MessageId> {
  const { request, bytes } = checkRequest(registry, given);
  const signal = signalOf(givenSignal);
  const key = JSON.stringify([request.parentId, request.childId, request.requestId]);
  while (true) {
    throwIfAborted(signal);
    const first = registry.prompts.get(key);
    if (first === undefined) return deliverAsFirst(registry, key, request, bytes, signal);
    try {
      return await untilAborted(first, signal, () => cancelled(signal));
    } catch (error) {
      // the first caller gave up, and this one has not
      if (errorCode(error) !== 'CANCELLED' || signal?.aborted === true) throw error;
    }
  }
}

/** Repeats that come meanwhile join it. */
async function deliverAsFirst(
  registry: Registry,
  key: string,
  request: SubagentPromptRequest,
  bytes: number,
  signal: AbortSignal | undefined,
): Promise<MessageId> {
  const way = `person ${request.childId}`;
  const delivery = registry.routes.inOrder(
    way,
    signal,
    () => cancelled(signal),
    (gone) => deliver(registry, request, bytes, signal, gone),
  );
  registry.prompts.set(key, delivery);
  try {
    return await delivery;
  } finally {
    registry.prompts.delete(key);
  }
}

async function deliver(
  registry: Registry,
  request: SubagentPromptRequest,
  bytes: number,
  signal: AbortSignal | undefined,
  gone: () => void,
): Promise<MessageId> {
  const message = messageOf(request);
  if (await isInColdLog(registry, request, message.messageId)) return message.messageId;
  const places = new RecoveryPlaces(registry, 'refuse');
  const opening = openParent(registry, places, request);
  try {
    const parent = await untilAborted(opening, signal, () => cancelled(signal));
    const isRepeat = await isDelivered(registry, parent, request.childId, message.messageId, signal);
    if (!isRepeat) await sendToChild(registry, parent.agent, request.childId, message, bytes, signal, gone);
    return message.messageId;
  } catch (error) {
    throw unavailableAtTheBound(error);
  } finally {
    const letGo = () => places.letGo();
    opening.then(letGo, letGo); // it may go on after a cancellation
  }
}

/** A repeat for a child that is not in memory is known from the store; no parent is reopened for it. */
async function isInColdLog(registry: Registry, request: SubagentPromptRequest, id: MessageId): Promise<boolean> {
  const { childId } = request;
  if (registry.residents.has(childId) || !isSessionId(childId)) return false;
  const head = await registry.store.head(childId);
  if (head === undefined || head.header.parentSession !== request.parentId) return false;
  return holds(await registry.store.read(head.header.id), head.header, id);
}

/** The direct parent. One that has settled is reopened, with what lies between it and a live agent above it. */
async function openParent(registry: Registry, places: RecoveryPlaces, request: SubagentPromptRequest): Promise<Residency> {
  const live = registry.residents.get(request.parentId);
  if (live !== undefined && !live.hasTag('ending') && (await hasOpened(live))) return live;
  const head = await registry.store.head(toSessionId(request.childId));
  const isParent = head !== undefined && head.header.parentSession === request.parentId;
  const parent = isParent ? await places.openParent(head.header) : undefined;
  if (parent !== undefined) return parent;
  throw new SubagentError('PARENT_UNAVAILABLE', 'neither the parent nor an agent above it is live; nothing was delivered');
}

function hasOpened(residency: Residency): Promise<boolean> {
  return residency.whenOpened().then(
    () => !residency.isReleased,
    () => false, // whoever opened it is told
  );
}

/** Whether the child's own log has the message: not what a fork inherited, and not before a child on its way in has its log. */
async function isDelivered(
  registry: Registry,
  parent: Residency,
  childId: string,
  id: MessageId,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  while (true) {
    const { live, stored } = await childTarget(registry, parent.agent, childId, signal);
    const session = live?.session;
    if (stored !== undefined) return holds(stored.events, stored.head.header, id);
    if (session !== undefined) return holds(await session.events(), session.header, id);
    // it is being opened; whoever opens it is told if that fails, and then it is looked at again
    const opening = live?.whenOpened().catch(() => undefined) ?? Promise.resolve();
    await untilAborted(opening, signal, () => cancelled(signal));
  }
}

function holds(events: readonly SessionEvent[], { inheritedEvents }: SessionHeader, id: MessageId): boolean {
  const own = events.slice(inheritedEvents);
  return own.some((event) => event.type === 'inbox/inserted' && event.data.messageId === id);
}

function cancelled(signal: AbortSignal | undefined): SubagentError {
  return new SubagentError('CANCELLED', 'the prompt was cancelled before it was accepted', { cause: signal?.reason });
}

/** A person gets another code than a model when there is no place (S1.13). */
function unavailableAtTheBound(error: unknown): unknown {
  if (errorCode(error) !== 'ACTIVATION_LIMIT_REACHED') return error;
  const { message } = error as SubagentError;
  return new SubagentError('subagent/delivery-unavailable', `${message} Nothing was delivered.`, { cause: error });
}

function messageOf({ requestId, delivery, content, timeZone }: SubagentPromptRequest): InboxMessage {
  return {
    messageId: `request:${requestId}` as MessageId,
    lane: delivery === 'queue' ? 'turn' : 'step',
    wakes: true,
    source: { kind: 'user', form: 'prompt', requestId, ...(timeZone !== undefined && { timeZone }) },
    content,
  };
}

function checkRequest(registry: Registry, given: unknown): { request: SubagentPromptRequest; bytes: number } {
  const fields = ['parentId', 'childId', 'delivery', 'requestId', 'content', 'timeZone'] as const;
  const { parentId, childId, delivery, requestId, content, timeZone } = fieldsOf(given, fields, 'a prompt');
  if (typeof parentId !== 'string' || typeof childId !== 'string')
    throw new SubagentError('INVALID_ARGUMENT', 'a prompt names a parent and a child by their ids');
  if (typeof requestId !== 'string' || requestId === '' || requestId.length > requestIdCharactersMax) {
    throw new SubagentError('INVALID_ARGUMENT', `a request id has 1 to ${requestIdCharactersMax} characters`);
  }
  if (delivery !== 'queue' && delivery !== 'steer') throw new SubagentError('INVALID_ARGUMENT', 'delivery is "queue" or "steer"');
  if (timeZone !== undefined && (typeof timeZone !== 'string' || timeZone.length > requestIdCharactersMax)) {
    throw new SubagentError('INVALID_ARGUMENT', 'a time zone is an IANA name');
  }
  const checked = checkContent(content, registry.limits);
  const request: SubagentPromptRequest = {
    ...{ parentId, childId, delivery, requestId, content: checked.content },
    ...(timeZone !== undefined && { timeZone }),
  };
  return { request, bytes: checked.bytes };
}
