/** The runtime of the program: the agents of one folder, their tools and their model. */
import { aiSdkDriver } from '../src/agents/drivers/ai-sdk.ts';
import { type AgentComposition, type AgentDriver, createRuntime, type SessionStore, type SubagentRuntime } from '../src/index.ts';
import { spawnProvider } from '../src/providers/spawn.ts';
import { delegateTool } from '../src/tools/delegate.ts';
import { interruptAgentTool } from '../src/tools/interrupt-agent.ts';
import { listAgentsTool } from '../src/tools/list-agents.ts';
import { sendMessageTool } from '../src/tools/send-message.ts';
import type { NamedModel } from './model.ts';
import { instructions } from './survey/instructions.ts';
import { workspaceTools } from './workspace/tools.ts';
import type { Workspace } from './workspace/workspace.ts';

export interface HostSetup {
  readonly workspace: Workspace;
  readonly store: SessionStore;
  readonly model: NamedModel;
  /** Hears of faults that have nobody to answer to. */
  readonly note: (line: string) => unknown;
}

export interface Host {
  readonly runtime: SubagentRuntime;
  readonly composition: AgentComposition;
}

export function createHost({ workspace, store, model, note }: HostSetup): Host {
  // The SDK would print warnings of its own between the lines of the view.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const runtime = createRuntime({ store, onFault: ({ where }) => note(`warning: ${where} failed`) });
  runtime.registerProvider(spawnProvider());
  const driver: AgentDriver = aiSdkDriver({ model: model.model });
  const tools = [
    ...workspaceTools(workspace),
    delegateTool({ runtime, provider: 'spawn' }),
    sendMessageTool({ runtime }),
    interruptAgentTool({ runtime }),
    listAgentsTool({ runtime }),
  ];
  return { runtime, composition: { driver, instructions, tools } };
}
