/** S8.2 to S8.4: what a model reads of the control tools, called plainly and through the AI SDK. */
import { describe, expect, test } from 'vitest';
import { toAiSdkTools } from '../../src/agents/drivers/ai-sdk.ts';
import type { AgentTool } from '../../src/agents/tool.ts';
import { textOf } from '../../src/sessions/content.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import type { JsonValue } from '../../src/sessions/json.ts';
import { interruptAgentTool } from '../../src/tools/interrupt-agent.ts';
import { listAgentsTool } from '../../src/tools/list-agents.ts';
import { sendMessageTool } from '../../src/tools/send-message.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const id = toSessionId;
type Tools = readonly AgentTool[];

/** How a tool is called: by the function itself, or as the AI SDK calls it. */
const ways = ['plain', 'AI SDK'] as const;

/** `root` with children `busy` (in a turn, with a child `leaf`) and `done` (settled), and beside it `other` with `far`. */
async function tree() {
  const world = openWorld({ capacity: { perRoot: 20 } });
  for (const label of ['busy', 'leaf', 'far']) world.driver.script(label, [waitsAt()]);
  world.driver.script('done', [says('bye')]);
  const root = await world.openRoot({ id: 'root', label: 'root' });
  const other = await world.openRoot({ id: 'other', label: 'other' });
  const start = (parent: string, label: string) => world.start(world.resident(parent).agent, { label, childId: id(label) });
  await start('root', 'busy');
  await start('root', 'done');
  await start('busy', 'leaf');
  await start('other', 'far');
  await world.rest();
  const { runtime } = world;
  const tools: Tools = [sendMessageTool({ runtime }), interruptAgentTool({ runtime }), listAgentsTool({ runtime })];
  const use = async (way: (typeof ways)[number], name: string, input: JsonValue, from = 'root'): Promise<unknown> => {
    const { agent } = world.resident(from);
    const { signal } = new AbortController();
    try {
      if (way === 'plain') {
        const tool = tools.find((candidate) => candidate.name === name);
        return await tool?.execute(input, { agent, signal, callId: 'c', idempotencyKey: 'k' });
      }
      const tool = toAiSdkTools(tools, agent)[name];
      return await tool?.execute?.(input, { toolCallId: 'c', messages: [], abortSignal: signal, context: {} } as never);
    } catch (error) {
      return error;
    }
  };
  return { world, root, other, use, tools };
}

describe.each(ways)('called through: %s', (way) => {
  test('send_message answers with the target and the id of the message, which is in the log by then (S8.2)', async () => {
    const { world, use } = await tree();
    for (const target of ['busy', 'done']) {
      const answer = await use(way, 'send_message', { agent_id: target, message: 'hello' });
      const logged = (await world.logOf(target, 'inbox/inserted')).find(({ data }) => textOf(data.content) === 'hello');
      expect(answer).toBe(`message delivered to agent ${target} (${logged?.data.messageId})`);
      expect(logged?.data.source).toEqual({ kind: 'agent-message', form: 'relay', senderSessionId: 'root' });
    }
    expect(await use(way, 'send_message', { agent_id: 'busy', message: 'up' }, 'leaf')).toMatch(
      /^message delivered to agent busy \(/,
    );
  });

  test('interrupt_agent answers the same for one that runs, has settled, or was never there (S8.3)', async () => {
    const { world, use } = await tree();
    for (const target of ['leaf', 'busy', 'done', 'nobody'])
      expect(await use(way, 'interrupt_agent', { agent_id: target })).toBe(`interrupt requested for agent ${target}`);
    const stopped = world.driver.turns.filter(({ turn }) => turn.signal.aborted).map(({ label }) => label);
    expect(stopped.sort()).toEqual(['busy', 'leaf']);
  });

  test('list_agents gives a line for each continuable child, and in the wide scope where it stands (S8.4)', async () => {
    const { world, root, use } = await tree();
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    await world.start(root.agent, { provider: 'remote', label: 'external' });
    expect(await use(way, 'list_agents', {})).toBe('busy [running] — busy\ndone [inactive] — done');
    expect(await use(way, 'list_agents', { scope: 'children' })).toBe('busy [running] — busy\ndone [inactive] — done');
    expect(await use(way, 'list_agents', { scope: 'descendants' })).toBe(
      [
        'busy parent=root depth=1 [running] — busy',
        'leaf parent=busy depth=2 [running] — leaf',
        'done parent=root depth=1 [inactive] — done',
      ].join('\n'),
    );
    expect(await use(way, 'list_agents', {}, 'leaf')).toBe('(no subagents)');
    expect(await use(way, 'list_agents', { scope: 'descendants' }, 'leaf')).toBe('(no subagents)');
  });

  test('a child that cannot be read is a line that says why (S8.4, S6.4)', async () => {
    const { world, use } = await tree();
    world.expectTraceProblems('catalog');
    for (const [name, mode] of [
      ['odd', 'unknown'],
      ['gone', 'continuable'],
      ['once', 'one-shot'],
    ] as const) {
      const data = { id: name, mode, label: name, createdAt: 0 };
      await world.resident('root').session?.append([{ type: 'subagent/child', time: 0, data }]);
    }
    const narrow = (await use(way, 'list_agents', {})) as string;
    expect(narrow.split('\n').slice(2)).toEqual(['odd [diagnostic: unsupported]', 'gone [inactive] — gone']);
    const wide = (await use(way, 'list_agents', { scope: 'descendants' })) as string;
    expect(wide.split('\n')).toContain('gone parent=root depth=1 [diagnostic: unavailable]');
  });

  const refusals: readonly (readonly [tool: string, nothing: string, input: JsonValue])[] = [
    ...['far', 'other', 'leaf', 'root', 'nobody', '../x', 'x\ny'].map(
      (target) => ['send_message', 'nothing was delivered', { agent_id: target, message: 'hello' }] as const,
    ),
    ...['far', 'other', 'root'].map((target) => ['interrupt_agent', 'nothing was done', { agent_id: target }] as const),
    ['send_message', 'nothing was delivered', { agent_id: 'busy' }],
    ['send_message', 'nothing was delivered', { agent_id: 'busy', message: '' }],
    ['send_message', 'nothing was delivered', { agent_id: 'busy', message: 'x', from: 'parent' }],
    ['interrupt_agent', 'nothing was done', {}],
    ['interrupt_agent', 'nothing was done', { agent_id: 7 }],
    ['interrupt_agent', 'nothing was done', 'leaf'],
    ['list_agents', 'nothing was listed', { scope: 'everything' }],
    ['list_agents', 'nothing was listed', { root: 'other' }],
  ];

  test.each(refusals)('%s is refused as a tool error that says %s: %j (S8.2 to S8.4)', async (name, nothing, input) => {
    const { world, use } = await tree();
    const { writes } = world.store;
    const error = await use(way, name, input);
    await world.rest();
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toContain(nothing);
    expect(world.store.writes).toBe(writes);
    expect(world.driver.turns.filter(({ turn }) => turn.signal.aborted)).toEqual([]);
  });

  test('unknown and forbidden targets of a message get the same words (S8.2, P35)', async () => {
    const { use } = await tree();
    const words = await Promise.all(
      ['far', 'nobody', 'leaf', '../x'].map(
        async (target) => ((await use(way, 'send_message', { agent_id: target, message: 'x' })) as Error).message,
      ),
    );
    expect(new Set(words).size).toBe(1);
  });
});

test('the schemas are closed objects that name what they need, and the names can be chosen (S8.5)', async () => {
  const { world, tools } = await tree();
  expect(tools.map(({ name }) => name)).toEqual(['send_message', 'interrupt_agent', 'list_agents']);
  for (const { inputSchema, description } of tools) {
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(description).not.toBe('');
  }
  expect(sendMessageTool({ runtime: world.runtime, name: 'tell' }).name).toBe('tell');
});
