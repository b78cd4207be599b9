import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Agent, type AgentDriver, createRuntime, type SubagentRuntime, type Turn } from '../../src/index.ts';
import { spawnProvider } from '../../src/providers/spawn.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';

const text = (words: string) => [{ type: 'text', text: words }] as const;
const { signal } = new AbortController();

/** Agents answer at once, except `middle`, which starts `leaf` in its first turn and stays in it, and `leaf`, which stays too. */
function treeDriver(runtime: () => SubagentRuntime, isFirstLife: boolean): AgentDriver {
  const stays = (turn: Turn) => new Promise<void>((resolve) => turn.signal.addEventListener('abort', () => resolve()));
  return {
    name: 'tree',
    async runTurn(turn) {
      const { label } = turn.agent;
      if (isFirstLife && label === 'middle') await start(runtime(), turn.agent, 'leaf');
      if (isFirstLife && (label === 'middle' || label === 'leaf')) {
        await stays(turn);
        return { stopReason: 'aborted' };
      }
      await turn.record({ role: 'assistant', content: text(`${label} is done`) });
      return { stopReason: 'completed' };
    },
  };
}

async function start(runtime: SubagentRuntime, parent: Agent, label: string) {
  return runtime.startActivation({
    provider: 'spawn',
    label,
    delivery: 'parent',
    signal,
    request: { parent, prompt: text('go') },
  });
}

/** Every log of the tree, as JSON. */
async function dump(runtime: SubagentRuntime, rootId: string): Promise<string> {
  const below = await runtime.listDescendants(rootId);
  const logs = await Promise.all([rootId, ...below.map(({ id }) => id)].map((id) => runtime.readSession(id)));
  return JSON.stringify({ below, logs });
}

test('a tree that is saved, loaded and saved again is the same tree, and goes on (W-2, P16, P33)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-w2-'));
  const path = join(folder, 'sessions.db');
  let runtime: SubagentRuntime | undefined;
  const open = async (isFirstLife: boolean) => {
    const store = sqliteStore({ path });
    const opened = createRuntime({ store });
    runtime = opened;
    opened.registerProvider(spawnProvider());
    const driver = treeDriver(() => opened, isFirstLife);
    return { runtime: opened, store, composition: { driver } };
  };

  const first = await open(true);
  const root = await first.runtime.openAgent({ id: 'root', label: 'root', composition: first.composition, cwd: '/' });
  const settled = await start(first.runtime, root.agent, 'settled');
  await settled.result;
  const middle = await start(first.runtime, root.agent, 'middle');
  await expect.poll(async () => (await first.runtime.listDescendants('root')).length).toBe(3);
  await first.runtime.sendMessage(root.agent, middle.childId, text('go on later'));
  await first.runtime.close();
  const saved = await dump(first.runtime, 'root');
  await first.store.close();

  const second = await open(false);
  expect(await dump(second.runtime, 'root')).toBe(saved);
  const again = await second.runtime.openAgent({ id: 'root', label: 'root', composition: second.composition, cwd: '/' });
  const { resumed } = await second.runtime.recover();
  expect(resumed).toEqual([middle.childId]);
  await again.whenQuiet();
  const { output } = await second.runtime.readResult(middle.childId);
  expect(output).toEqual(text('middle is done'));
  const { events } = await second.runtime.readSession(settled.childId);
  expect(events.filter(({ type }) => type === 'turn/started')).toHaveLength(1);
  await runtime?.close();
  await second.store.close();
  rmSync(folder, { recursive: true });
});
