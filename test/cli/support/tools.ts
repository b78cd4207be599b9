/** Calls the tools of a workspace as a driver would. */
import { workspaceTools } from '../../../cli/workspace/tools.ts';
import { openWorkspace } from '../../../cli/workspace/workspace.ts';
import type { JsonValue, SessionId, ToolCallContext } from '../../../src/index.ts';

export type CallTool = (toolName: string, input: JsonValue, signal?: AbortSignal) => Promise<JsonValue>;

export function toolsOf(folder: string): CallTool {
  const workspace = openWorkspace(folder);
  const tools = new Map(workspaceTools(workspace).map((tool) => [tool.name, tool]));
  return async (toolName, input, signal = new AbortController().signal) => {
    const tool = tools.get(toolName);
    if (tool === undefined) throw new Error(`there is no tool ${toolName}`);
    return tool.execute(input, contextOf(folder, signal));
  };
}

export const toolNames = ['list_directory', 'read_file', 'measure_tree', 'search_text', 'list_imports'];

function contextOf(folder: string, signal: AbortSignal): ToolCallContext {
  const agent = { id: 'tester' as SessionId, depth: 0, cwd: folder, label: 'tester' };
  return { agent, signal, callId: 'call-1', idempotencyKey: 'tester:0:call-1' };
}
