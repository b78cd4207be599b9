/** S7, S8.1: what hosts hand in as a whole. Anything that is not what it should be is refused with a code before anything exists. */
import { expect, test } from 'vitest';
import { createRuntime } from '../../src/registry/create-runtime.ts';
import { childInTurn } from './child-in-turn.ts';
import { noJson } from './hostile.ts';
import { refusedOrDone } from './untouched.ts';

test.each(Object.keys(noJson))(
  '%s as a whole start, request, set of options or composition is refused with a code (S7)',
  async (name) => {
    const { world, root, worksOn } = await childInTurn('memory');
    const bad = () => noJson[name]?.() as never;
    const { signal } = new AbortController();
    const request = { parent: root.agent, prompt: [{ type: 'text', text: 'go' }] } as const;
    const spec = { provider: 'spawn', label: 'asked', signal, delivery: 'parent', request } as const;
    const { runtime, composition } = world;
    const tries: Record<string, () => unknown> = {
      'a start': () => runtime.startActivation(bad()),
      'a request': () => runtime.startActivation({ ...spec, request: bad() }),
      'a parent': () => runtime.startActivation({ ...spec, request: { ...request, parent: bad() } }),
      'a setup': () => runtime.openAgent(bad()),
      'a host': () => runtime.attachAgent(bad()),
      'a composition': () => runtime.openAgent({ cwd: '/x', composition: name === 'undefined' ? (null as never) : bad() }),
      instructions: () =>
        runtime.openAgent({
          cwd: '/x',
          composition: { ...composition, instructions: name === 'undefined' ? 7 : bad() } as never,
        }),
      tools: () => runtime.openAgent({ cwd: '/x', composition: { ...composition, tools: [bad()] } }),
      'a provider': () => runtime.registerProvider(bad()),
      'a preset': () => createRuntime({ presets: { any: bad() } }),
      'a change of the queue': () => runtime.updateQueue(root.id, bad()),
      'a prompt': () => runtime.prompt(bad()),
      'a sender': () => runtime.sendMessage(bad(), root.id, request.prompt),
      'an authority': () => runtime.interrupt('worker', bad()),
      'a list of ids': () => runtime.drainChildren(root.agent, bad()),
      'an id in a list': () => runtime.drainChildren(root.agent, [bad()]),
      'a list of agents': () => runtime.drainDescendants(bad()),
      ...(name !== 'undefined' && {
        'a store': () => createRuntime({ store: bad() }),
        'a clock': () => createRuntime({ clock: bad() }),
        'a set of send options': () => runtime.sendMessage(root.agent, 'nobody', request.prompt, bad()),
        'a signal': () => runtime.sendMessage(root.agent, 'nobody', request.prompt, { signal: bad() }),
        'a signal of a listing': () => runtime.listDescendants(root.id, bad()),
        'a signal of a question': () => root.ask('hello', { signal: bad() }),
        'a signal of a wait': () => runtime.waitForChildren(root.agent, bad()),
        'agent options': () => runtime.openAgent({ cwd: '/x', composition, options: bad() }),
        'an agent option': () => runtime.startActivation({ ...spec, request: { ...request, agentOptions: { model: bad() } } }),
        'a cwd': () => runtime.startActivation({ ...spec, request: { ...request, cwd: bad() } }),
        'a limit of depth': () => runtime.startActivation({ ...spec, request: { ...request, maxDepth: bad() } }),
      }),
    };
    for (const [what, attempt] of Object.entries(tries)) expect(await refusedOrDone(world, attempt), what).not.toBe('done');
    await worksOn();
  },
);
