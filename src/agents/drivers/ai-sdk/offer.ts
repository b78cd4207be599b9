/** The tools of one turn: those of the agent, and the one that takes the structured result if one is asked for. */
import { jsonSchema, type ToolSet, tool } from 'ai';
import { errorCode, SubagentError } from '../../../errors.ts';
import type { JsonObject, JsonValue } from '../../../sessions/json.ts';
import type { Turn } from '../../driver.ts';
import type { AgentTool } from '../../tool.ts';
import { type InputCheck, inputCheck } from './input-check.ts';

export const resultToolName = 'submit_result';

export interface OfferedTool {
  readonly tool: AgentTool;
  readonly check: InputCheck;
  /** Writes to the log, which is bounded, so an abort waits for it: what was accepted must show in how the turn ends. */
  readonly isResultTool: boolean;
}

export interface ToolOffer {
  readonly byName: ReadonlyMap<string, OfferedTool>;
  /** Without `execute`: the SDK shows them to the model and leaves the calls to us. Undefined if there are none. */
  readonly toolSet: ToolSet | undefined;
  isResultSubmitted(): boolean;
}

/** Throws `INVALID_ARGUMENT` for two tools of one name, and for a schema that cannot be used. */
export function offerTools(turn: Turn): ToolOffer {
  const byName = new Map<string, OfferedTool>();
  for (const agentTool of turn.tools) {
    const { name, inputSchema } = agentTool;
    if (byName.has(name)) throw new SubagentError('INVALID_ARGUMENT', `two tools have the name ${name}`);
    byName.set(name, { tool: agentTool, check: inputCheck(name, inputSchema), isResultTool: false });
  }
  const result = turn.outputSchema && resultTool(turn, turn.outputSchema);
  if (result !== undefined) {
    if (byName.has(resultToolName)) {
      const message = `a tool of the agent has the name ${resultToolName}, which a turn with an output schema needs for itself`;
      throw new SubagentError('INVALID_ARGUMENT', message);
    }
    byName.set(resultToolName, { tool: result.tool, check: () => undefined, isResultTool: true });
  }
  const shown = [...byName].map(([name, offered]) => [name, toShownTool(offered.tool)] as const);
  return {
    byName,
    toolSet: shown.length === 0 ? undefined : Object.fromEntries(shown),
    isResultSubmitted: () => result?.isSubmitted() ?? false,
  };
}

function toShownTool({ description, inputSchema }: AgentTool): ToolSet[string] {
  return tool({ description, inputSchema: jsonSchema(inputSchema as Parameters<typeof jsonSchema>[0]) });
}

function resultTool(turn: Turn, schema: JsonObject): { tool: AgentTool; isSubmitted(): boolean } {
  let isSubmitted = false;
  const submit = async (value: JsonValue): Promise<JsonValue> => {
    if (isSubmitted) throw new Error('a result was submitted already; this one was not taken');
    try {
      await turn.submitResult(value);
    } catch (error) {
      if (errorCode(error) === 'INVALID_ARGUMENT') throw error;
      throw new Error('the result could not be stored', { cause: error });
    }
    isSubmitted = true;
    return 'result accepted';
  };
  // Submissions of one step go one after the other: the first valid one counts.
  let last: Promise<unknown> = Promise.resolve();
  return {
    tool: {
      name: resultToolName,
      description: 'Hands in the result of the task, as the input of this call. Call it once, when the work is done.',
      inputSchema: schema,
      execute: (value) => {
        const submitted = last.then(() => submit(value));
        last = submitted.catch(() => undefined);
        return submitted;
      },
    },
    isSubmitted: () => isSubmitted,
  };
}
