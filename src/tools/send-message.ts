/** Lets a model write to its parent or to a child (S8.2). */
import type { AgentTool } from '../agents/tool.ts';
import { type ControlPort, readTexts, refusing } from './control.ts';

export interface SendMessageOptions {
  readonly runtime: Pick<ControlPort, 'sendMessage'>;
  /** Default: `send_message`. */
  readonly name?: string;
}

export function sendMessageTool({ runtime, name = 'send_message' }: SendMessageOptions): AgentTool {
  return {
    name,
    description: [
      'Sends a message to one of your own subagents, or to the agent that started you, by its id.',
      'A running agent reads it at its next step, a waiting or finished subagent is woken by it.',
      'It returns when the message is accepted, not when it is answered: an answer comes later as a message or notice.',
    ].join(' '),
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['agent_id', 'message'],
      properties: { agent_id: { type: 'string', minLength: 1 }, message: { type: 'string', minLength: 1 } },
    },
    execute: (input, { agent, signal }) =>
      refusing('nothing was delivered', async () => {
        const { agent_id: target, message } = readTexts(input, ['agent_id', 'message']);
        const messageId = await runtime.sendMessage(agent, target, [{ type: 'text', text: message }], { signal });
        return `message delivered to agent ${target} (${messageId})`;
      }),
  };
}
