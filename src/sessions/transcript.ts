/** The history that a model is shown, folded from the log. Provenance shows in the first line of every message that is not a person's own. */
import type { AssistantBlock, ContentBlock, ToolCallBlock, ToolResultBlock, TranscriptEntry } from './content.ts';
import type { SessionEvent } from './event.ts';
import { foldingSound } from './fold.ts';
import type { MessageId } from './ids.ts';
import type { InboxMessage, MessageSource } from './message.ts';

const interruptedOutput = 'The call was interrupted; it may or may not have taken effect.';

/** The line that tells the model who speaks. Only the runtime writes it; the text below it is the sender's. */
function provenanceLine(source: MessageSource): string | undefined {
  switch (source.kind) {
    case 'agent-message':
      return `Agent ${source.senderSessionId} sent a message:`;
    case 'subagent-settled':
      return `Notice from the runtime about subagent ${source.senderSessionId}: ${source.summary}`;
    case 'context':
      return 'Context from the host:';
    case 'turn-interrupted':
      return 'Notice from the runtime: your last turn was cut off when its process ended.';
    case 'delegation':
    case 'user':
      return undefined;
  }
}

/** One claimed message as the model sees it. */
export function toUserEntry(message: InboxMessage): TranscriptEntry & { role: 'user' } {
  const line = provenanceLine(message.source);
  if (line === undefined) return { role: 'user', content: message.content };
  const [first, ...rest] = message.content;
  if (first?.type === 'text') {
    return { role: 'user', content: [{ type: 'text', text: `${line}\n${first.text}` }, ...rest] };
  }
  const head: ContentBlock = { type: 'text', text: line };
  return { role: 'user', content: [head, ...message.content] };
}

/** The closing result of a call that has none. */
export function interruptedResult(call: ToolCallBlock): ToolResultBlock {
  return {
    type: 'tool-result',
    callId: call.callId,
    toolName: call.toolName,
    output: interruptedOutput,
    isError: true,
    isInterrupted: true,
  };
}

/** The calls of `content` that none of `results` answers, in order. */
export function unansweredCalls(
  content: readonly AssistantBlock[],
  results: readonly ToolResultBlock[],
): readonly ToolCallBlock[] {
  const answered = new Set(results.map((result) => result.callId));
  return content.filter((block): block is ToolCallBlock => block.type === 'tool-call' && !answered.has(block.callId));
}

/**
 * Folds events into entries. Unclaimed messages are left out. The result is balanced whatever the log holds: a call
 * without a result gets an interrupted one directly behind its results, and a result without a call is left out. Throws
 * `SESSION_DAMAGED` for an event that cannot be understood.
 */
export function foldTranscript(events: readonly SessionEvent[]): TranscriptEntry[] {
  return foldingSound(() => fold(events));
}

function fold(events: readonly SessionEvent[]): TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  const inserted = new Map<MessageId, InboxMessage>();
  let open: { calls: readonly AssistantBlock[]; results: ToolResultBlock[] } | undefined;
  const close = () => {
    if (open !== undefined) entries.push(...resultsInOrder(open.calls, open.results));
    open = undefined;
  };
  for (const event of events) {
    switch (event.type) {
      case 'inbox/inserted':
        inserted.set(event.data.messageId, event.data);
        break;
      case 'inbox/edited': {
        const before = inserted.get(event.data.messageId);
        if (before !== undefined) inserted.set(before.messageId, { ...before, content: event.data.content });
        break;
      }
      case 'inbox/claimed':
        close();
        for (const id of event.data.messageIds) {
          const message = inserted.get(id);
          if (message !== undefined) entries.push(toUserEntry(message));
          inserted.delete(id);
        }
        break;
      case 'inbox/discarded':
        for (const id of event.data.messageIds) inserted.delete(id);
        break;
      case 'assistant/message':
        close();
        if (event.data.content.length > 0) {
          entries.push({ role: 'assistant', content: event.data.content });
          open = { calls: event.data.content, results: [] };
        }
        break;
      case 'tool/results': {
        const calls = open?.calls ?? [];
        const known = event.data.content.filter((result) =>
          unansweredCalls(calls, open?.results ?? []).some((call) => call.callId === result.callId),
        );
        open?.results.push(...known);
        break;
      }
      default:
    }
  }
  close();
  return entries;
}

/** One entry with a result for every call, in the order of the calls, however the results came in. */
function resultsInOrder(content: readonly AssistantBlock[], results: readonly ToolResultBlock[]): TranscriptEntry[] {
  const calls = content.filter((block): block is ToolCallBlock => block.type === 'tool-call');
  if (calls.length === 0) return [];
  const byCall = new Map(results.map((result) => [result.callId, result]));
  return [{ role: 'tool', content: calls.map((call) => byCall.get(call.callId) ?? interruptedResult(call)) }];
}
