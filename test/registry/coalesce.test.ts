/** S3.9, P02: children that settle together wake their parent once, and each of them is heard. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/sessions/stores/memory.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { tempFolder } from '../sessions/temp-folder.ts';
import { gate } from '../support/gate.ts';
import { says, takesSteering, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type WorldSetup } from '../support/world.ts';

const children = 20;
const stores: readonly (readonly [string, () => NonNullable<WorldSetup['store']>])[] = [
  ['memory', () => (clock) => memoryStore({ clock })],
  [
    'SQLite',
    () => {
      const path = join(tempFolder('quick'), 'store.db');
      return (clock) => sqliteStore({ path, clock });
    },
  ],
];

/** Twenty children in a turn, all of which go on when the gate opens. */
async function twenty(store: NonNullable<WorldSetup['store']>) {
  const world = openWorld({ store, capacity: { perRoot: children } });
  const place = gate();
  world.driver.otherwise(says('ok'));
  for (let nth = 0; nth < children; nth++) world.driver.script('worker', [waitsAt(place), says(`result ${nth}`)]);
  const root = await world.openRoot({ id: 'root', label: 'root' });
  const started = await Promise.all(Array.from({ length: children }, () => world.start(root.agent)));
  while (world.driver.turnsOf('worker').length < children) await new Promise((resolve) => setImmediate(resolve));
  const heard = async () => (await world.logOf('root', 'inbox/claimed')).map(({ data }) => new Set(data.messageIds));
  const keys = new Set(started.map(({ childId }) => `${childId}:1`));
  return { world, root, place, started, heard, keys };
}

describe.each(stores)('on the %s store', (_, store) => {
  test('twenty children that settle in one tick wake an idle parent once, with twenty notices (S3.9, P02)', async () => {
    const { world, root, place, started, heard, keys } = await twenty(store());
    place.open();
    await Promise.all(started.map(({ result }) => result));
    await root.whenQuiet();
    expect(world.driver.turnsOf('root')).toHaveLength(1);
    expect(await heard()).toEqual([keys]);
    await world.close();
    await world.store.inner.close();
  });

  test('a parent in a turn gets all twenty at its next step, and is not woken again (S3.9, P02)', async () => {
    const { world, root, place, started, heard, keys } = await twenty(store());
    const working = gate();
    world.driver.script('root', [waitsAt(working), takesSteering(), says('noted')]);
    const asking = root.ask('begin');
    await working.reached;
    place.open();
    await Promise.all(started.map(({ result }) => result));
    working.open();
    await asking;
    expect(world.driver.turnsOf('root')).toHaveLength(1);
    const [, atTheStep, ...more] = await heard();
    expect([atTheStep, more]).toEqual([keys, []]);
    await world.close();
    await world.store.inner.close();
  });
});
