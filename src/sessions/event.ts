/**
 * The session log: a header and numbered events, append-only. The log is the truth; everything else is folded from it.
 *
 * I1  Sequence numbers start at 0 and have no gap.
 * I2  `inbox/inserted` is committed before its message id is told to anybody; `inbox/claimed` before a model sees the message.
 * I3  A message leaves the inbox once: in one `inbox/claimed` or one `inbox/discarded`.
 * I4  Between `turn/started` and `turn/ended` every tool call gets exactly one result.
 */
import type { AssistantBlock, ToolResultBlock } from './content.ts';
import type { MessageId, SessionId } from './ids.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { InboxMessage } from './message.ts';
import type { Usage } from './usage.ts';

export interface SessionHeader {
  readonly version: 1;
  readonly id: SessionId;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Absolute. */
  readonly cwd: string;
  /** The directory of the top-level agent from which this session descends. */
  readonly project: string;
  readonly parentSession?: SessionId;
  readonly origin?: 'subagent';
  /** Level below the top-level agent, which is 0. */
  readonly delegationDepth: number;
  readonly agentPreset?: string;
  readonly isSeeded: boolean;
  /** How many events at the start of the log were copied from another session. 0 unless seeded. */
  readonly inheritedEvents: number;
}

export type ChildMode = 'one-shot' | 'continuable' | 'external' | 'unknown';

/** How an activation or turn can end. Extend by declaration merging; a reason that the runtime does not know counts as failure. */
export interface SubagentStopReasonMap {
  readonly completed: 'completed';
  readonly aborted: 'aborted';
  readonly error: 'error';
  readonly 'max-tokens': 'max-tokens';
  readonly refusal: 'refusal';
}
export type SubagentStopReason = SubagentStopReasonMap[keyof SubagentStopReasonMap];

/** Model settings of an agent. Merged over the parent's, key by key. */
export interface AgentOptions {
  readonly provider?: string;
  readonly model?: string;
  readonly reasoningEffort?: string;
  readonly maxTokens?: number;
}

/** Written once, after any seed and before the prompt. What a cold resume reads. Never shown to a model. */
export interface SubagentDescriptorData {
  readonly version: 1;
  readonly provider: string;
  readonly mode: 'continuable';
  readonly label: string;
  /** The system prompt and the names of the tools at the start; a definition that changes later does not change the child. */
  readonly instructions?: string;
  readonly tools?: readonly string[];
  /** Resolved: what the child really runs with. */
  readonly agentOptions: AgentOptions;
  readonly agentPreset?: string;
  readonly outputSchema?: JsonObject;
  readonly maxDepth?: number;
  /** The parent's tool call that waited for the result of the first activation. */
  readonly callId?: string;
}

export interface SessionEventMap {
  'subagent/descriptor': SubagentDescriptorData;
  /** One entry of the catalog that this session owns. */
  'subagent/child': { readonly id: string; readonly mode: ChildMode; readonly label?: string; readonly createdAt: number };
  'inbox/inserted': InboxMessage;
  /** `waking` counts those of the messages that had `wakes`. */
  'inbox/claimed': { readonly messageIds: readonly MessageId[]; readonly waking: number; readonly turnId: string };
  'inbox/discarded': {
    readonly messageIds: readonly MessageId[];
    readonly waking: number;
    readonly reason: 'disposed' | 'removed';
  };
  /** A person changed a message that nobody had claimed yet. */
  'inbox/edited': { readonly messageId: MessageId; readonly content: InboxMessage['content'] };
  'inbox/promoted': { readonly messageId: MessageId };
  'turn/started': { readonly turnId: string; readonly epoch: number };
  'assistant/message': {
    readonly turnId: string;
    readonly content: readonly AssistantBlock[];
    readonly usage?: Usage;
    readonly model?: string;
  };
  'tool/results': { readonly turnId: string; readonly content: readonly ToolResultBlock[] };
  'result/submitted': { readonly turnId: string; readonly value: JsonValue };
  /** `isInterrupted`: the turn was cut off and closed afterwards by the runtime. */
  'turn/ended': {
    readonly turnId: string;
    readonly stopReason: SubagentStopReason;
    readonly diagnostic?: string;
    readonly isInterrupted?: boolean;
  };
  /** The seal: this activation takes nothing more. `notice` is the key under which the parent is told, absent if it is not. */
  'activation/ended': {
    readonly runId: string;
    readonly epoch: number;
    readonly stopReason: SubagentStopReason;
    readonly diagnostic?: string;
    readonly notice?: MessageId;
  };
  /** The parent's log (or its host) has accepted the notice. */
  'notice/delivered': { readonly notice: MessageId };
}

export type SessionEventType = keyof SessionEventMap;

/** An event before it has its place in a log. `time` is milliseconds since 1970. */
export type NewSessionEvent = {
  [Type in SessionEventType]: { readonly type: Type; readonly time: number; readonly data: SessionEventMap[Type] };
}[SessionEventType];

export type SessionEvent = {
  [Type in SessionEventType]: {
    readonly seq: number;
    readonly time: number;
    readonly type: Type;
    readonly data: SessionEventMap[Type];
  };
}[SessionEventType];

export type SessionEventOf<Type extends SessionEventType> = Extract<SessionEvent, { readonly type: Type }>;
