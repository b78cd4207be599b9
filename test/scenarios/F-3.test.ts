import { expect, test } from 'vitest';
import { createRuntime, type InboxMessage } from '../../src/index.ts';
import { spawnProvider } from '../../src/providers/spawn.ts';

const driver = {
  name: 'answers',
  async runTurn(turn: Parameters<import('../../src/index.ts').AgentDriver['runTurn']>[0]) {
    await turn.record({ role: 'assistant', content: [{ type: 'text', text: 'the result' }] });
    return { stopReason: 'completed' } as const;
  },
};

for (const failures of [1, 2, 3]) {
  test(`a sink that stores the notice and then throws, ${failures} times, gets it again under the same key, and one notice is visible (F-3, P15)`, async () => {
    const calls: string[] = [];
    const visible = new Map<string, InboxMessage>();
    const faults: string[] = [];
    const runtime = createRuntime({ onFault: ({ where }) => faults.push(where) });
    runtime.registerProvider(spawnProvider());
    const host = await runtime.attachAgent({
      cwd: '/',
      composition: { driver },
      deliver(message) {
        calls.push(message.messageId);
        visible.set(message.messageId, message);
        if (calls.length <= failures) throw new Error('stored, and yet it throws');
      },
    });
    const request = { parent: host.agent, prompt: [{ type: 'text', text: 'go' }] } as const;
    const { signal } = new AbortController();
    const child = await runtime.startActivation({ provider: 'spawn', label: 'worker', delivery: 'parent', signal, request });
    expect(await child.result).toMatchObject({ stopReason: 'completed' });
    for (let again = 0; again < failures; again++) await runtime.recover();
    expect(calls).toEqual(Array.from({ length: failures + 1 }, () => `${child.childId}:1`));
    expect([...visible.values()].map(({ source }) => source.kind)).toEqual(['subagent-settled']);
    expect(faults.length).toBe(failures);
    expect(await runtime.recover()).toEqual({ resumed: [], told: [], removed: [], waiting: [] });
    expect(calls).toHaveLength(failures + 1);
    await runtime.close();
  });
}
