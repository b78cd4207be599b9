/** What a session's own log says about the agent in it: read when it is resumed. Inherited events are the donor's and do not count. */
import { SubagentError, toSubagentError } from '../errors.ts';
import type { AssistantBlock, ToolResultBlock } from './content.ts';
import type { SessionEvent, SessionEventMap, SessionEventOf, SessionHeader, SubagentDescriptorData } from './event.ts';
import type { MessageId } from './ids.ts';
import type { InboxMessage } from './message.ts';

export interface OpenTurn {
  readonly turnId: string;
  /** Content of the last assistant message, and the results that came for it. */
  readonly lastCalls: readonly AssistantBlock[];
  readonly results: readonly ToolResultBlock[];
}

type UnwrittenEnd = Pick<SessionEventMap['activation/ended'], 'stopReason' | 'diagnostic'> & { readonly epoch?: number };

export interface SessionFold {
  readonly descriptor: SubagentDescriptorData | undefined;
  /** Accepted and neither claimed nor discarded, in order of acceptance. */
  readonly unclaimed: readonly InboxMessage[];
  readonly openTurn: OpenTurn | undefined;
  /** An end that the parent was to be told of and has not been. */
  readonly undelivered: SessionEventOf<'activation/ended'> | undefined;
  readonly lastEnd: SessionEventOf<'activation/ended'> | undefined;
  /** How the last activation would have ended that did not come to write its end; `epoch` is known if it had a turn. */
  readonly unended: UnwrittenEnd | undefined;
  /** How many children it has ever started. */
  readonly children: number;
  /** Ids that other products gave to children of it. */
  readonly externalIds: readonly string[];
}

/** Throws `SESSION_DAMAGED` for a malformed descriptor or event, and `SESSION_UNSUPPORTED` for a descriptor of an unknown version. */
export function foldSession(header: SessionHeader, events: readonly SessionEvent[]): SessionFold {
  return foldingSound(() => fold(header, events));
}

/** An event that is whole and says nothing that can be understood trips whoever folds it. */
export function foldingSound<Fold>(work: () => Fold): Fold {
  try {
    return work();
  } catch (error) {
    throw toSubagentError(error, 'SESSION_DAMAGED', 'the log of the session holds an event that cannot be understood');
  }
}

function fold(header: SessionHeader, events: readonly SessionEvent[]): SessionFold {
  let descriptor: SubagentDescriptorData | undefined;
  const unclaimed = new Map<MessageId, InboxMessage>();
  let openTurn: { turnId: string; lastCalls: readonly AssistantBlock[]; results: ToolResultBlock[] } | undefined;
  let undelivered: SessionEventOf<'activation/ended'> | undefined;
  let lastEnd: SessionEventOf<'activation/ended'> | undefined;
  let unended: UnwrittenEnd | undefined;
  let children = 0;
  const externalIds: string[] = [];
  for (const event of events.slice(header.inheritedEvents)) {
    switch (event.type) {
      case 'subagent/descriptor':
        descriptor ??= checkedDescriptor(event.data);
        break;
      case 'subagent/child':
        children++;
        if (event.data.mode === 'external') externalIds.push(event.data.id);
        // behind a seal it means that the activation went on after all, and has not written its end again
        if (undelivered !== undefined) unended ??= endAfter(undelivered.data, undelivered.data.epoch);
        undelivered = undefined;
        break;
      case 'inbox/inserted':
        unclaimed.set(event.data.messageId, event.data);
        if (!event.data.wakes) break;
        undelivered = undefined;
        unended ??= { stopReason: 'aborted' };
        break;
      case 'inbox/edited':
        edit(unclaimed, event.data.messageId, { content: event.data.content });
        break;
      case 'inbox/promoted':
        edit(unclaimed, event.data.messageId, { lane: 'step' });
        break;
      case 'inbox/claimed':
      case 'inbox/discarded':
        for (const id of event.data.messageIds) unclaimed.delete(id);
        break;
      case 'turn/started':
        openTurn = { turnId: event.data.turnId, lastCalls: [], results: [] };
        undelivered = undefined;
        unended = { stopReason: 'aborted', epoch: event.data.epoch };
        break;
      case 'assistant/message':
        if (openTurn !== undefined) openTurn = { ...openTurn, lastCalls: event.data.content, results: [] };
        break;
      case 'tool/results':
        openTurn?.results.push(...event.data.content);
        break;
      case 'turn/ended':
        openTurn = undefined;
        unended = endAfter(event.data, unended?.epoch);
        break;
      case 'activation/ended':
        lastEnd = event;
        unended = undefined;
        undelivered = event.data.notice === undefined ? undefined : event;
        break;
      case 'notice/delivered':
        if (undelivered?.data.notice === event.data.notice) undelivered = undefined;
        break;
      case 'result/submitted':
        break;
    }
  }
  return { descriptor, unclaimed: [...unclaimed.values()], openTurn, undelivered, lastEnd, unended, children, externalIds };
}

function endAfter(
  { stopReason, diagnostic }: Pick<SessionEventMap['turn/ended'], 'stopReason' | 'diagnostic'>,
  epoch: number | undefined,
): UnwrittenEnd {
  return { stopReason, ...(diagnostic !== undefined && { diagnostic }), ...(epoch !== undefined && { epoch }) };
}

function edit(messages: Map<MessageId, InboxMessage>, id: MessageId, change: Partial<InboxMessage>): void {
  const before = messages.get(id);
  if (before !== undefined) messages.set(id, { ...before, ...change });
}

function checkedDescriptor(data: SubagentDescriptorData): SubagentDescriptorData {
  const { version, ...rest } = (data ?? {}) as Partial<Record<keyof SubagentDescriptorData, unknown>>;
  if (Number.isSafeInteger(version) && version !== 1)
    throw new SubagentError('SESSION_UNSUPPORTED', 'the session was described by another version of the library');
  const { provider, label, mode, agentOptions, agentPreset, outputSchema, maxDepth, instructions, tools } = rest;
  const isSound =
    version === 1 &&
    mode === 'continuable' &&
    typeof provider === 'string' &&
    typeof label === 'string' &&
    isObject(agentOptions) &&
    (agentPreset === undefined || typeof agentPreset === 'string') &&
    (outputSchema === undefined || isObject(outputSchema)) &&
    (maxDepth === undefined || Number.isSafeInteger(maxDepth)) &&
    (instructions === undefined || typeof instructions === 'string') &&
    (tools === undefined || (Array.isArray(tools) && tools.every((name) => typeof name === 'string')));
  if (!isSound) throw new SubagentError('SESSION_DAMAGED', 'the description of the session cannot be read');
  return data;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The completed turns of a log: contiguous from sequence 0 up to the last end of a turn, so that the open turn and what
 * nobody has claimed are left out and every call has its result.
 */
export function completedTurns(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const last = events.findLastIndex((event) => event.type === 'turn/ended');
  return events.slice(0, last + 1);
}
