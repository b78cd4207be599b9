/** Two trees of agents that run, on a store in a folder of its own, and ids as anybody may give them. */
import fc from 'fast-check';
import type { SessionId } from '../../src/sessions/ids.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { tempFolder } from '../sessions/temp-folder.ts';
import { waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';
import { anything, Sample, text } from './hostile.ts';
import { cases } from './settings.ts';

/** Texts above all, and whatever else there is. */
export const id = fc.oneof(
  { weight: 4, arbitrary: text.map((value) => new Sample(JSON.stringify(value), () => value)) },
  anything,
);
/** Ten thousand, as the threat model has it. */
export const many = cases(10_000, 50_000);

/** `root` with `busy`, below it `leaf`; and beside it `other` with `far`. All of them run. */
export async function twoTrees() {
  const folder = tempFolder('quick');
  const world = openWorld({
    limits: { childrenPerAgent: 1_000_000, inboxMessages: 1_000_000 },
    store: (clock) => sqliteStore({ path: `${folder}/s.db`, clock }),
  });
  world.driver.otherwise(waitsAt());
  const root = await world.openRoot({ id: 'root' });
  const other = await world.openRoot({ id: 'other' });
  const start = (parent: string, childId: string) =>
    world.start(world.resident(parent).agent, { label: childId, childId: childId as SessionId });
  await start('root', 'busy');
  await start('busy', 'leaf');
  await start('other', 'far');
  await world.rest();
  return { world, root, other, folder };
}
