import { expect, test } from 'vitest';
import { createRuntime, subagentCatalog } from '../../src/index.ts';
import { forkProvider } from '../../src/providers/fork.ts';
import { spawnProvider } from '../../src/providers/spawn.ts';

const driver = { name: 'quiet', runTurn: async () => ({ stopReason: 'completed' }) as const };

test('the catalog folded from a log is what the runtime lists, without what a fork inherited (S6.1)', async () => {
  const runtime = createRuntime();
  runtime.registerProvider(spawnProvider());
  runtime.registerProvider(forkProvider());
  const root = await runtime.openAgent({ composition: { driver }, cwd: '/' });
  const start = async (provider: string) => {
    const request = { parent: root.agent, prompt: [{ type: 'text', text: 'go' }] } as const;
    const { signal } = new AbortController();
    const child = await runtime.startActivation({ provider, label: provider, delivery: 'caller', signal, request });
    await child.result;
    return child.childId;
  };
  await start('spawn');
  await root.ask('hello');
  const fork = await runtime.readSession(await start('fork'));
  const { header, events } = await runtime.readSession(root.id);
  expect(subagentCatalog(header, events)).toEqual(await runtime.listChildren(root.id));
  expect(fork.events.some((event) => event.type === 'subagent/child')).toBe(true);
  expect(subagentCatalog(fork.header, fork.events)).toEqual([]);
  await runtime.close();
});
