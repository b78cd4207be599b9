/** Subagents for agent hosts. Every public name, one by one. */

export type { HostPort } from './actors/residency.ts';
export type { Agent } from './agents/agent.ts';
export type { AgentComposition } from './agents/composition.ts';
export type { AgentDriver, Turn, TurnDelta, TurnEnd, TurnEntry } from './agents/driver.ts';
export { type CapacityLimits, defaultCapacity, defaultLimits, type Limits } from './agents/limits.ts';
export type { AgentTool, ToolCallContext } from './agents/tool.ts';
export { errorCode, SessionQueryError, SubagentError, type SubagentErrorCode } from './errors.ts';
export { type CancelTimer, type Clock, systemClock } from './ports/clock.ts';
export type { FaultReporter } from './ports/faults.ts';
export { type Ids, randomIds } from './ports/ids.ts';
export type {
  ContinuableCreateRequest,
  ContinuableCreateSpec,
  ResolvedSubagentStartRequest,
  SubagentActivation,
  SubagentActivationSpec,
  SubagentCapabilities,
  SubagentProvider,
  SubagentResult,
  SubagentRun,
  SubagentStartRequest,
} from './providers/contract.ts';
export type { SessionRecord, SubagentCatalogEntry, WholeResult } from './registry/catalog.ts';
export { createRuntime, type RuntimeOptions } from './registry/create-runtime.ts';
export type { ConfiguredDepth } from './registry/depth.ts';
export type { DescendantDiagnostic, SubagentDescendantListEntry } from './registry/descendants.ts';
export type { SubagentEvent, SubagentRunEndInfo, SubagentRunInfo } from './registry/event-hub.ts';
export type { AgentActivity, AgentListing, AgentListing as SubagentListEntry } from './registry/list-agents.ts';
export type { SubagentPromptRequest } from './registry/prompt.ts';
export type { RecoveryReport } from './registry/recover.ts';
export type { SubagentRuntime } from './registry/runtime.ts';
export type { SubagentSendMessageOptions } from './registry/send.ts';
export type { SubagentInterruptAuthority } from './registry/stop.ts';
export type { AttachAgentSetup, OpenAgentSetup, TopLevelSetup } from './registry/top-level.ts';
export type { AttachedAgent, OpenAgent, PromptOptions } from './registry/top-level-handle.ts';
export type { SubagentQueueChange } from './registry/update-queue.ts';
export { subagentCatalog } from './sessions/catalog.ts';
export type {
  AssistantBlock,
  ContentBlock,
  ImageBlock,
  ReasoningBlock,
  TextBlock,
  ToolCallBlock,
  ToolResultBlock,
  TranscriptEntry,
} from './sessions/content.ts';
export { textOf } from './sessions/content.ts';
export type {
  AgentOptions,
  ChildMode,
  NewSessionEvent,
  SessionEvent,
  SessionEventMap,
  SessionEventOf,
  SessionEventType,
  SessionHeader,
  SubagentDescriptorData,
  SubagentStopReason,
  SubagentStopReasonMap,
} from './sessions/event.ts';
export { type MessageId, type SessionId, toSessionId } from './sessions/ids.ts';
export type { JsonObject, JsonValue } from './sessions/json.ts';
export type {
  AgentMessageSource,
  ContextSource,
  DelegationSource,
  InboxLane,
  InboxMessage,
  MessageSource,
  SubagentSettledMessageSource,
  TurnInterruptedSource,
  UserMessageSource,
} from './sessions/message.ts';
export type { Pending } from './sessions/pending.ts';
export type { OwnerId, PendingSession, SessionHead, SessionLease, SessionStore } from './sessions/store.ts';
export { toUserEntry } from './sessions/transcript.ts';
export type { Usage } from './sessions/usage.ts';
