/** Lets a model see its subagents (S8.4). Activity promises neither an end nor that a message will be accepted. */
import type { AgentTool } from '../agents/tool.ts';
import { SubagentError } from '../errors.ts';
import { type ControlPort, type ListedAgent, readTexts, refusing } from './control.ts';

export interface ListAgentsOptions {
  readonly runtime: Pick<ControlPort, 'listAgents'>;
  /** Default: `list_agents`. */
  readonly name?: string;
}

export function listAgentsTool({ runtime, name = 'list_agents' }: ListAgentsOptions): AgentTool {
  return {
    name,
    description: [
      'Lists the subagents that you started and can write to; with the scope "descendants" also what they started.',
      'running: it works now. inactive: it waits or has finished, and a message wakes it.',
    ].join(' '),
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      properties: { scope: { type: 'string', enum: ['children', 'descendants'] } },
    },
    execute: (input, { agent, signal }) =>
      refusing('nothing was listed', async () => {
        const { scope = 'children' } = readTexts(input ?? {}, ['scope'], ['scope']);
        if (scope !== 'children' && scope !== 'descendants')
          throw new SubagentError('INVALID_ARGUMENT', 'scope is "children" or "descendants"');
        const agents = await runtime.listAgents(agent, scope, signal);
        const lines = agents
          .filter((listed) => listed.reason !== undefined || listed.mode === 'continuable' || listed.mode === 'unknown')
          .map((listed) => lineOf(listed, scope));
        return lines.length === 0 ? '(no subagents)' : lines.join('\n');
      }),
  };
}

function lineOf({ id, activity, label, mode, parentId, depth, ...listed }: ListedAgent, scope: string): string {
  const reason = listed.reason ?? (mode === 'unknown' ? 'unsupported' : undefined);
  const place = scope === 'descendants' ? ` parent=${parentId ?? ''} depth=${depth ?? 0}` : '';
  if (reason !== undefined) return `${id}${place} [diagnostic: ${reason}]`;
  return `${id}${place} [${activity}] — ${label ?? ''}`;
}
