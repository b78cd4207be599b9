/** H-1: a fork in the middle of a batch of calls. Strict models refuse a history in which a call has no result. */
import { expect, test } from 'vitest';
import { aiSdkDriver } from '../../src/agents/drivers/ai-sdk.ts';
import type { AgentTool } from '../../src/agents/tool.ts';
import type { SessionEventType } from '../../src/sessions/event.ts';
import { delegateTool } from '../../src/tools/delegate.ts';
import { gate } from '../support/gate.ts';
import { asks, call, type Script, type Speech, scriptedModel, says as speaks } from '../support/scripted-model.ts';
import { openWorld, type World } from '../support/world.ts';

/** A parent whose model makes these answers, with a tool that waits and one that forks; children speak to `fork`. */
async function parentWith(parent: readonly (Script | Speech)[], forks: readonly (Script | Speech)[]) {
  const world = openWorld();
  const place = gate();
  const models = { parent: scriptedModel(...parent), fork: scriptedModel(...forks) };
  const driver = aiSdkDriver({ maxRetries: 0, model: ({ model }) => (model === 'fork' ? models.fork : models.parent) });
  const slow: AgentTool = {
    ...{ name: 'slow', description: 'waits', inputSchema: { type: 'object' } },
    execute: async (_, { signal }) => {
      signal.addEventListener('abort', place.open, { once: true });
      await place.pass();
      return 'slowly done';
    },
  };
  const tools = [slow, delegateTool({ runtime: world.runtime, provider: 'fork', models: ['fork'] })];
  const root = await world.openRoot({ composition: { driver, tools } });
  return { world, root, place, ...models };
}

const forking = (nth: number, more = {}) =>
  call(`f${nth}`, 'delegate', { description: 'fork', prompt: 'continue', model: 'fork', run_in_background: false, ...more });
const batch = asks(call('a', 'slow'), forking(1), call('b', 'slow'));

/** What a model was shown, as `role: text or call ids`. */
function shown(prompts: (typeof scriptedModel.prototype)['prompts'][number]): string[] {
  return (prompts as readonly { role: string; content: unknown }[]).map(({ role, content }) => {
    if (typeof content === 'string') return `${role}: ${content}`;
    const parts = content as readonly { type: string; text?: string; toolCallId?: string }[];
    return `${role}: ${parts.map((part) => part.text ?? part.toolCallId ?? part.type).join(' ')}`;
  });
}

test('the child is shown completed turns only: neither the call that made it nor its open siblings (H-1, P18, P19)', async () => {
  const { world, root, place, parent, fork } = await parentWith(
    [speaks('hello'), batch, speaks('all three are in')],
    [speaks('forked work')],
  );
  await root.ask('first');
  await root.prompt('three at once');
  await world.events.first('subagent/end');
  place.open();
  await root.whenQuiet();
  expect([parent.faults, fork.faults]).toEqual([[], []]);
  expect(shown(fork.prompts[0])).toEqual(['user: first', 'assistant: hello', 'user: continue']);
  expect(shown(parent.prompts[2]).slice(3)).toEqual(['assistant: a f1 b', 'tool: a f1 b']);
});

const appended = (world: World, wanted: SessionEventType) =>
  world.events.first('session/appended', ({ events }) => events.some(({ type }) => type === wanted));

test('the history of the parent is the same with the fork as without (H-1)', async () => {
  const { world, root, place } = await parentWith([speaks('hello'), batch, speaks('done')], [speaks('forked work')]);
  await root.ask('first');
  const before = await world.log(root.id);
  await root.prompt('three at once');
  await appended(world, 'tool/results');
  const during = await world.log(root.id);
  expect(during.slice(0, before.length)).toEqual(before);
  expect(during.slice(before.length).map(({ type }) => type)).toEqual([
    ...['inbox/inserted', 'inbox/claimed', 'turn/started', 'assistant/message', 'subagent/child', 'tool/results'],
  ]);
  place.open();
  await root.whenQuiet();
});

test('a fork after an abort is shown the aborted turn, closed by marked results (H-1, P18)', async () => {
  const { world, root, parent, fork } = await parentWith(
    [asks(call('a', 'slow'), call('b', 'slow')), asks(forking(1)), speaks('done')],
    [speaks('forked work')],
  );
  await root.prompt('begin');
  await appended(world, 'assistant/message');
  world.resident(root.id).send({ type: 'interrupt.requested' });
  await appended(world, 'turn/ended');
  await root.prompt('go on');
  await root.whenQuiet();
  expect([parent.faults, fork.faults]).toEqual([[], []]);
  expect(shown(fork.prompts[0])).toEqual(['user: begin', 'assistant: a b', 'tool: a b', 'user: continue']);
  const results = await world.logOf(root.id, 'tool/results');
  expect(results.flatMap(({ data }) => data.content).filter(({ isInterrupted }) => isInterrupted)).toHaveLength(2);
});

test('an old fork that comes back is shown its own seed and its own turns, and nothing of what its parent did since (H-1, P19)', async () => {
  const { world, root, parent, fork } = await parentWith(
    [speaks('hello'), asks(forking(1)), speaks('forked'), speaks('much later')],
    [speaks('forked work'), speaks('still here')],
  );
  await root.ask('first');
  await root.ask('fork');
  await root.ask('go on alone');
  const [child] = await world.runtime.listChildren(root.id);
  await world.runtime.sendMessage(root.agent, child?.id ?? '', [{ type: 'text', text: 'and you?' }]);
  await world.gone(child?.id ?? '');
  expect([parent.faults, fork.faults]).toEqual([[], []]);
  expect(shown(fork.prompts[1])).toEqual([
    ...['user: first', 'assistant: hello', 'user: continue', 'assistant: forked work'],
    `user: Agent ${root.id} sent a message:\nand you?`,
  ]);
});
