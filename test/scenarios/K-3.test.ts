/** K-3: what a backend cannot enforce is refused by name, before any session, process or event exists. */
import { expect, test } from 'vitest';
import type { SubagentCapabilities } from '../../src/providers/contract.ts';
import type { JsonValue } from '../../src/sessions/json.ts';
import { delegateTool } from '../../src/tools/delegate.ts';
import { scriptedLocalProvider, scriptedProvider } from '../support/scripted-provider.ts';
import { openWorld, type StartSetup } from '../support/world.ts';

const features: readonly (readonly [keyof SubagentCapabilities, StartSetup])[] = [
  ['outputSchema', { outputSchema: { type: 'object' } }],
  ['depthLimit', { maxDepth: 2 }],
  ['agentPreset', { agentPreset: 'expert' }],
  ['agentOptions', { agentOptions: { model: 'large' } }],
];
const kinds = ['external', 'local'] as const;

test.each(kinds.flatMap((kind) => features.map(([capability, setup]) => [kind, capability, setup] as const)))(
  'an %s backend without %s refuses to be asked for it, and nothing has happened (K-3, S1.7, P26, P34)',
  async (kind, capability, setup) => {
    const world = openWorld({ presets: { expert: openWorld().composition } });
    const lacking = { name: 'lacking', capabilities: { [capability]: false } };
    const provider = kind === 'external' ? scriptedProvider(lacking) : scriptedLocalProvider(() => ({}), lacking);
    world.runtime.registerProvider(provider);
    const root = await world.openRoot();
    const before = { events: world.events.all.length, writes: world.store.writes };
    const asked = capability === 'depthLimit' ? 'maxDepth' : capability;
    await expect(world.start(root.agent, { provider: 'lacking', ...setup })).rejects.toMatchObject({
      code: 'UNSUPPORTED_CAPABILITY',
      message: expect.stringMatching(new RegExp(`"lacking".*${asked}`)),
    });
    await world.rest();
    expect({ events: world.events.all.length, writes: world.store.writes }).toEqual(before);
    expect([provider.requests, world.live]).toEqual([[], 0]);
    expect((await world.start(root.agent, { provider: 'lacking', delivery: 'caller' })).childId).toBeDefined();
  },
);

test('a tool that is configured for a schema its backend cannot enforce refuses every call (K-3, S8.1)', async () => {
  const world = openWorld();
  const remote = scriptedProvider({ capabilities: { outputSchema: false } });
  world.runtime.registerProvider(remote);
  const root = await world.openRoot();
  const tool = delegateTool({ runtime: world.runtime, provider: 'remote', outputSchema: { type: 'object' } });
  const context = { agent: root.agent, signal: new AbortController().signal, callId: 'c', idempotencyKey: 'k' };
  const call = async (input: JsonValue) => tool.execute(input, context);
  await expect(call({ description: 'x', prompt: 'y' })).rejects.toThrow(
    /"remote" does not support outputSchema; nothing was started/,
  );
  expect(remote.requests).toEqual([]);
});
