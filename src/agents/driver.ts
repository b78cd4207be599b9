/**
 * The driver port: how to run one turn of an agent. The runtime owns inbox, history and schedule; the driver owns the
 * model loop. All that a foreign agent loop has to implement is `runTurn`.
 *
 * I1  One turn of an agent at a time. The next starts after `runTurn` has settled, or was given up after its bound.
 * I2  What `record` resolved for is in the log. What it did not resolve for may be lost.
 * I3  After `signal` fired the driver stops soon and settles; whatever it records after the turn was given up is refused.
 */
import type { AssistantBlock, ToolResultBlock, TranscriptEntry } from '../sessions/content.ts';
import type { AgentOptions, SessionHeader, SubagentStopReason } from '../sessions/event.ts';
import type { JsonObject, JsonValue } from '../sessions/json.ts';
import type { InboxMessage } from '../sessions/message.ts';
import type { Usage } from '../sessions/usage.ts';
import type { Agent } from './agent.ts';
import type { AgentTool } from './tool.ts';

export interface AgentDriver {
  readonly name: string;
  /** Whether the model with these options takes images. Absent: it does not. */
  acceptsImages?(options: AgentOptions): boolean;
  /** Called before an agent is created or resumed with these options; throws or rejects if it could not run with them. */
  validate?(options: AgentOptions): void | Promise<void>;
  /**
   * Runs one turn to its end. Failures of the model or transport are an end with a stop reason; a rejection counts as
   * `error` without a diagnostic of the driver's own.
   */
  runTurn(turn: Turn): Promise<TurnEnd>;
  /** Called once when an agent that ran on this driver leaves memory. Bounded; a failure is a failed teardown. */
  release?(agent: Agent): void | Promise<void>;
}

export interface TurnEnd {
  readonly stopReason: SubagentStopReason;
  /**
   * For ends other than `completed`: what happened, for a person. No tool input, file content, environment value,
   * credential or raw protocol text. Cut to 4,096 bytes of UTF-8.
   */
  readonly diagnostic?: string;
}

/** What a turn adds to the history. One model call is one `assistant` entry; the results of its calls come in one or more `tool` entries. */
export type TurnEntry =
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[]; readonly usage?: Usage; readonly model?: string }
  | { readonly role: 'tool'; readonly content: readonly ToolResultBlock[] };

/** What a model says while it says it. Never stored. */
export type TurnDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool-call'; readonly callId: string; readonly toolName: string };

export interface Turn {
  readonly agent: Agent;
  readonly turnId: string;
  readonly header: SessionHeader;
  /** The messages that opened the turn, in order of acceptance; they are in `history()` already. */
  readonly input: readonly InboxMessage[];
  readonly instructions: string | undefined;
  readonly options: AgentOptions;
  readonly tools: readonly AgentTool[];
  /** If present, the turn must end with `submitResult`; without it the activation ends as `error`. */
  readonly outputSchema: JsonObject | undefined;
  readonly signal: AbortSignal;
  /** The balanced history up to now, this turn's input included: what the model is to be shown. */
  history(): Promise<readonly TranscriptEntry[]>;
  /**
   * Claims what has been accepted for the nearest step boundary, in order of acceptance; call it between a tool result
   * and the next model call, and once more before ending. Empty when there is nothing. Show each through `toUserEntry`.
   */
  takeSteering(): Promise<readonly InboxMessage[]>;
  /**
   * Resolves with the entry's sequence number once it is committed. Rejects `FENCED` when the turn may write no more, and
   * `INVALID_ARGUMENT` for what is no entry or holds what JSON cannot (256 levels at most); then nothing was written.
   */
  record(entry: TurnEntry): Promise<number>;
  /** Resolves if this process still owns the session; rejects `FENCED` if not. Call it before a model call or tool. */
  check(): Promise<void>;
  /** Throws `INVALID_ARGUMENT` for what is no delta. */
  stream(delta: TurnDelta): void;
  /**
   * Hands in the structured result. Rejects `INVALID_ARGUMENT` with what is wrong if it does not satisfy `outputSchema`,
   * so that the model can try again; once it resolves the inbox of the activation is closed.
   */
  submitResult(value: JsonValue): Promise<void>;
}
