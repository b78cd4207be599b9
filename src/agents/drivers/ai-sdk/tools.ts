/** Our tools in an AI SDK loop that the host runs itself (`attachAgent`). */
import { jsonSchema, type ToolSet, tool } from 'ai';
import type { JsonValue } from '../../../sessions/json.ts';
import type { Agent } from '../../agent.ts';
import { isYes } from '../../sync-answer.ts';
import type { AgentTool } from '../../tool.ts';
import { inputCheck } from './input-check.ts';

const never = new AbortController().signal;

/**
 * The tools that are available to `agent` now, as it would call them. Input that does not satisfy a tool's schema becomes a
 * tool error of the SDK. Without a log of ours the idempotency key is made of the agent's id, the number of messages in
 * the conversation and the call id: a host that repeats a call must repeat it on the same conversation. Throws
 * `INVALID_ARGUMENT` for a schema that cannot be used.
 */
export function toAiSdkTools(tools: readonly AgentTool[], agent: Agent): ToolSet {
  const available = tools.filter((agentTool) => agentTool.isAvailable === undefined || isYes(agentTool.isAvailable(agent)));
  return Object.fromEntries(available.map((agentTool) => [agentTool.name, toSdkTool(agentTool, agent)]));
}

function toSdkTool(agentTool: AgentTool, agent: Agent): ToolSet[string] {
  const { name, description, inputSchema } = agentTool;
  const check = inputCheck(name, inputSchema);
  return tool({
    description,
    inputSchema: jsonSchema<JsonValue>(inputSchema as Parameters<typeof jsonSchema>[0], {
      validate: (value) => {
        const problem = check(value as JsonValue);
        return problem === undefined
          ? { success: true, value: value as JsonValue }
          : { success: false, error: new Error(problem) };
      },
    }),
    execute: (input: JsonValue, { toolCallId, messages, abortSignal = never }) =>
      agentTool.execute(input, {
        agent,
        signal: abortSignal,
        callId: toolCallId,
        idempotencyKey: `${agent.id}:${messages.length}:${toolCallId}`,
      }),
  });
}
