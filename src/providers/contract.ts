/** What a provider is, and what starting a child asks for and gives back. */
import type { Agent } from '../agents/agent.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { AgentOptions, SessionEvent, SubagentStopReason } from '../sessions/event.ts';
import type { MessageId, SessionId } from '../sessions/ids.ts';
import type { JsonObject, JsonValue } from '../sessions/json.ts';

/** `depthLimit` gates `maxDepth`; the others gate the option of their name. A request for what is false is refused before anything exists. */
export interface SubagentCapabilities {
  readonly agentOptions: boolean;
  readonly agentPreset: boolean;
  readonly outputSchema: boolean;
  readonly depthLimit: boolean;
}

export interface SubagentStartRequest {
  /** Relative paths resolve against the parent's directory; absent: that directory. */
  readonly cwd?: string;
  /** Name of a preset of the runtime. */
  readonly agentPreset?: string;
  readonly label?: string;
  readonly prompt: readonly ContentBlock[];
  /** The exact live agent that delegates. */
  readonly parent: Agent;
  readonly signal: AbortSignal;
  readonly agentOptions?: AgentOptions;
  /** JSON Schema whose root is an object. */
  readonly outputSchema?: JsonObject;
  /** Cap on the child's own depth, a non-negative safe integer. */
  readonly maxDepth?: number;
}
/** `cwd` is absolute. */
export type ResolvedSubagentStartRequest = Omit<SubagentStartRequest, 'cwd'> & { readonly cwd: string };

export interface SubagentActivationSpec {
  /** Name of a registered provider. */
  readonly provider: string;
  /** What people see. 1 to 200 characters; control characters are removed. */
  readonly label: string;
  /** Reserves the id of a local child. */
  readonly childId?: SessionId;
  readonly request: Omit<SubagentStartRequest, 'label' | 'signal'>;
  /** Cancels until publication; afterwards use `dispose()`. */
  readonly signal: AbortSignal;
  /** Who hears of the end: the parent's inbox, or only the caller through `result`. */
  readonly delivery: 'parent' | 'caller';
  /** The tool call of the parent that waits for the result: after a crash it is not told again what the call has answered. */
  readonly callId?: string;
}

export interface SubagentActivation extends AsyncDisposable {
  readonly childId: string;
  /** The accepted prompt. Local children only. */
  readonly messageId?: MessageId;
  /** Settles after teardown, when the parent has been told. Rejects only if no stop reason can express what happened. */
  readonly result: Promise<SubagentResult>;
  /** Stops and releases this activation and all below it. Idempotent. Rejects `ACTIVATION_TEARDOWN_FAILED`. */
  dispose(): Promise<void>;
}

export interface SubagentResult {
  /** At most the runtime's `resultBytes`; see `truncated`. */
  readonly output: readonly ContentBlock[];
  /** Present only if a schema was asked for and satisfied. */
  readonly structured?: JsonValue;
  /** For ends other than `completed`; at most 4,096 bytes of UTF-8. */
  readonly diagnostic?: string;
  readonly stopReason: SubagentStopReason;
  /** Set when `output` was cut: the size of the whole in bytes of UTF-8. `readResult` gives it back. */
  readonly truncated?: { readonly totalBytes: number };
}

export interface SubagentProvider {
  readonly name: string;
  readonly capabilities: SubagentCapabilities;
  /** Whether the child sees the parent's conversation. */
  readonly inheritsParentContext: boolean;
  /** What `agentOptions` are merged over instead of the parent's. Valid only with that capability. */
  readonly agentRouteDefaults?: { readonly provider: string; readonly model: string };
  /** Makes external children: runs elsewhere, no inbox. */
  start?(request: ResolvedSubagentStartRequest): Promise<SubagentRun>;
  /** Makes local children: gives the data that a new session starts with. */
  prepareContinuable?(request: ContinuableCreateRequest): ContinuableCreateSpec | Promise<ContinuableCreateSpec>;
}

export interface ContinuableCreateRequest {
  readonly cwd: string;
  readonly sessionId: SessionId;
  readonly parent: Agent;
  readonly signal: AbortSignal;
  /** The completed turns of the parent at admission: contiguous from sequence 0, balanced, the open turn left out. */
  parentHistory(): Promise<readonly SessionEvent[]>;
}

/** Data, never a capability. */
export interface ContinuableCreateSpec {
  /** Contiguous from sequence 0, and up to the end of a turn. */
  readonly seed?: readonly SessionEvent[];
}

/** One run of an external child. `result` may not reject unless capturing it failed; `dispose` reaches quiescence. */
export interface SubagentRun {
  readonly id: string;
  readonly result: Promise<SubagentResult>;
  dispose(): Promise<void>;
}
