import type { JsonObject, JsonValue } from '../sessions/json.ts';
import type { Agent } from './agent.ts';

/** A tool as a model sees it. Plain data and one function, so that it fits every tool protocol. */
export interface AgentTool {
  /** Unique among the tools of one agent. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: JsonObject;
  /** Asked before each turn; a tool that says false is not offered in it. Absent: always offered. */
  isAvailable?(agent: Agent): boolean;
  /** What it returns becomes the tool result; what it throws becomes a tool error with the error's message. */
  execute(input: JsonValue, call: ToolCallContext): Promise<JsonValue> | JsonValue;
}

export interface ToolCallContext {
  /** The exact live agent that calls. */
  readonly agent: Agent;
  /** Fires when the turn is interrupted or the agent stopped. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The same for every repeat of this one call, also after a crash: session id, sequence number and call id. */
  readonly idempotencyKey: string;
}
