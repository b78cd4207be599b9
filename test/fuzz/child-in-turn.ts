import { expect } from 'vitest';
import type { JsonObject } from '../../src/sessions/json.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { tempFolder } from '../sessions/temp-folder.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

export const outputSchema = { type: 'object' } as const;

/** A child in the middle of a turn, which the test plays; it was asked for a structured result. */
export async function childInTurn(store: 'memory' | 'sqlite') {
  const folder = store === 'sqlite' ? tempFolder('quick') : '';
  const world = openWorld({
    limits: { childrenPerAgent: 1_000_000 },
    ...(store === 'sqlite' && { store: (clock) => sqliteStore({ path: `${folder}/s.db`, clock }) }),
  });
  world.driver.script('worker', [waitsAt()]);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { outputSchema });
  const { turn } = await world.driver.turn('worker');
  const last = async (): Promise<JsonObject> => (await world.log(child.childId)).at(-1)?.data as unknown as JsonObject;
  /** It still takes a message, records an answer, and another child can be started. */
  const worksOn = async () => {
    const hasResult = (await world.typesOf(child.childId)).includes('result/submitted'); // after which it takes no messages
    if (hasResult) return;
    await world.runtime.sendMessage(root.agent, child.childId, [{ type: 'text', text: 'still there?' }]);
    expect(await turn.takeSteering()).not.toEqual([]);
    await turn.record({ role: 'assistant', content: [{ type: 'text', text: 'yes' }] });
    world.driver.script('other', [says('done')]);
    expect(await (await world.start(root.agent, { label: 'other' })).result).toMatchObject({ stopReason: 'completed' });
    expect(await world.runtime.listChildren(root.id)).not.toEqual([]);
    if (store === 'sqlite') await world.runtime.readSession(child.childId);
  };
  return { world, root, child, turn, last, worksOn };
}
