/** The tree of agents as lines of text. */
import type { Activity, AgentActivity } from './activity.ts';
import { printable } from './printable.ts';

/** `rows` bounds the lines: agents that are over go first, the oldest before the others. */
export function treeLines(activity: Activity, rows: number, columns: number): string[] {
  const { agents } = activity;
  const excess = agents.length - Math.max(1, rows - 1);
  const over = agents.filter((agent) => agent.isOver && !hasLiveChild(agents, agent));
  const hidden = new Set(excess > 0 ? over.slice(0, excess) : []);
  const lines = inTreeOrder(agents)
    .filter((agent) => !hidden.has(agent))
    .map((agent) => agentLine(activity, agent));
  if (hidden.size > 0) lines.push(`  … ${hidden.size} more have ended`);
  return lines.slice(0, Math.max(1, rows)).map((line) => cutLine(line, columns));
}

/** `running  src  1 turn, 2,310 tokens, 0.2 s, delegate`, indented by depth. */
export function agentLine(activity: Activity, agent: AgentActivity): string {
  const state = agent.state.padEnd(9);
  const tool = agent.isOver || agent.tool === undefined ? '' : `, ${printable(agent.tool, 40)}`;
  return `${'  '.repeat(agent.depth)}${state} ${printable(agent.label, 80)}  ${countsText(activity, agent)}${tool}`;
}

export function countsText(activity: Activity, agent: AgentActivity): string {
  const tokens = (agent.inputTokens + agent.outputTokens).toLocaleString('en-US');
  const steered = agent.steered === 0 ? '' : `, steered ${agent.steered === 1 ? 'once' : `${agent.steered} times`}`;
  return `${agent.turns} ${agent.turns === 1 ? 'turn' : 'turns'}, ${tokens} tokens, ${secondsText(activity.elapsedMs(agent))}${steered}`;
}

export function secondsText(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function hasLiveChild(agents: readonly AgentActivity[], { id }: AgentActivity): boolean {
  return agents.some((agent) => agent.parentId === id && !agent.isOver);
}

function inTreeOrder(agents: readonly AgentActivity[]): AgentActivity[] {
  const known = new Set(agents.map(({ id }) => id));
  const below = (parentId: string | undefined): AgentActivity[] =>
    agents.filter((agent) => agent.parentId === parentId).flatMap((agent) => [agent, ...below(agent.id)]);
  const roots = agents.filter(({ parentId }) => parentId === undefined || !known.has(parentId));
  return roots.flatMap((root) => [root, ...below(root.id)]);
}

function cutLine(line: string, columns: number): string {
  const characters = Array.from(line);
  return characters.length <= columns ? line : `${characters.slice(0, Math.max(1, columns - 1)).join('')}…`;
}
