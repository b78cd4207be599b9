/** Lets a model stop the current turn of an agent below it (S8.3). */
import type { AgentTool } from '../agents/tool.ts';
import { shortened } from '../sessions/one-line.ts';
import { type ControlPort, readTexts, refusing } from './control.ts';

export interface InterruptAgentOptions {
  readonly runtime: Pick<ControlPort, 'interrupt'>;
  /** Default: `interrupt_agent`. */
  readonly name?: string;
}

export function interruptAgentTool({ runtime, name = 'interrupt_agent' }: InterruptAgentOptions): AgentTool {
  return {
    name,
    description: [
      'Stops what a subagent below you is doing now. It keeps its history, its own subagents and the messages that wait for it,',
      'and goes on when you send it a message. Stopping one that is not running changes nothing.',
    ].join(' '),
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['agent_id'],
      properties: { agent_id: { type: 'string', minLength: 1 } },
    },
    execute: (input, { agent }) =>
      refusing('nothing was done', () => {
        const { agent_id: target } = readTexts(input, ['agent_id']);
        runtime.interrupt(target, { kind: 'ancestor', agent });
        return `interrupt requested for agent ${shortened(target, 256)}`;
      }),
  };
}
