import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { AgentDriver } from '../../src/agents/driver.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { openWorld } from '../support/world.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Whether garbage collection frees it. */
async function isFreed(reference: WeakRef<object>): Promise<boolean> {
  for (let round = 0; round < 10 && reference.deref() !== undefined; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return reference.deref() === undefined;
}

/** The scripted driver keeps every turn that it has run. */
const forgetful: AgentDriver = {
  name: 'forgetful',
  async runTurn(turn) {
    await turn.record({ role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(100_000) }] });
    await turn.record({ role: 'assistant', content: [{ type: 'text', text: 'short' }] });
    return { stopReason: 'completed' };
  },
};

test('a handle that is kept holds the result, and not the session that led to it (P32)', async () => {
  const world = openWorld();
  const root = await world.openRoot({ composition: { driver: forgetful } });
  const child = await world.start(root.agent, { delivery: 'caller' });
  const session = new WeakRef(world.resident(child.childId).session as object);
  await child.result;
  await world.gone(child.childId);
  expect(await isFreed(session)).toBe(true);
  expect((await child.result).output).toEqual([{ type: 'text', text: 'short' }]);
});

test('a handle that is kept does not hold the run of its backend (P32)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  let run: WeakRef<object> | undefined;
  world.runtime.registerProvider({
    ...scriptedProvider(),
    async start() {
      const made = {
        id: 'far-1',
        result: Promise.resolve({ output: [], stopReason: 'completed' } as const),
        dispose: async () => undefined,
      };
      run = new WeakRef(made);
      return made;
    },
  });
  const child = await world.start(root.agent, { provider: 'remote', delivery: 'caller' });
  await child.result;
  await child.dispose();
  expect(await isFreed(run as WeakRef<object>)).toBe(true);
  expect(child.childId).toBe('far-1');
});
