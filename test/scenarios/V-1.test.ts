/** V-1: a host that waits for its children has all of them, and the last word of the parent; one that waits so long and no longer says so. */
import { expect, test } from 'vitest';
import type { SubagentRuntime } from '../../src/registry/runtime.ts';
import type { OpenAgent } from '../../src/registry/top-level-handle.ts';
import { textOf } from '../../src/sessions/content.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const minute = 60_000;

/** Children that take 1, 5 and 30 minutes of the clock. */
async function three() {
  const world = openWorld();
  const root = await world.openRoot({ label: 'root' });
  const children = [];
  for (const minutes of [1, 5, 30]) {
    const place = gate();
    world.driver.script(`${minutes}`, [waitsAt(place), says(`after ${minutes}`)]);
    children.push(await world.start(root.agent, { label: `${minutes}` }));
    world.clock.schedule(minutes * minute, place.open);
  }
  return { world, root, children };
}

/** What a one-shot host does before it leaves. */
async function finish(runtime: SubagentRuntime, root: OpenAgent, signal?: AbortSignal) {
  while (await runtime.waitForChildren(root.agent, signal));
  return root.whenQuiet();
}

test('without a limit all three settle, and the parent’s concluding turn is over when the wait is (V-1, S4.5, P40)', async () => {
  const { world, root, children } = await three();
  let isOver = false;
  const finishing = finish(world.runtime, root).then((result) => {
    isOver = true;
    return result;
  });
  await world.advance(29 * minute);
  expect(isOver).toBe(false);
  await world.advance(minute);
  expect((await finishing).stopReason).toBe('completed');
  for (const child of children) expect((await child.result).stopReason).toBe('completed');
  const heard = world.driver.turnsOf('root').flatMap(({ input }) => input.map(({ content }) => textOf(content)));
  expect(heard.filter((words) => words.includes('after'))).toHaveLength(3);
  expect(world.live).toBe(0);
});

test('with a limit the wait ends without touching anybody; the drain then ends the third, refuses starts, and its end is no success (V-1, P06)', async () => {
  const { world, root, children } = await three();
  const abort = new AbortController();
  world.clock.schedule(10 * minute, () => abort.abort());
  const waiting = codeOf(finish(world.runtime, root, abort.signal));
  await world.advance(10 * minute);
  expect(await waiting).toBe('CANCELLED');
  expect(world.live, 'the third still works').toBe(1);
  const draining = world.runtime.drainDescendants([root.agent]);
  expect(await codeOf(world.start(root.agent))).toBe('DRAINING');
  await draining;
  const ends = await Promise.all(children.map(async ({ result }) => (await result).stopReason));
  expect(ends).toEqual(['completed', 'completed', 'aborted']);
  await root.whenQuiet();
  const heard = world.driver
    .turnsOf('root')
    .flatMap(({ input }) => input.map(({ source }) => (source as { summary: string }).summary));
  expect(heard.sort()).toEqual(['1 ended: completed', '30 ended: aborted', '5 ended: completed']);
  await world.advance(20 * minute); // what the children were waiting for
});

test('it returns false when nobody moves: idle descendants that need a message are not waited for (S4.5)', async () => {
  const { world, root } = await three();
  for (const child of await world.runtime.listChildren(root.id)) {
    await world.runtime.prompt({
      parentId: root.id,
      childId: child.id,
      delivery: 'queue',
      requestId: child.id,
      content: [{ type: 'text', text: 'x' }],
    });
    world.runtime.interrupt(child.id, { kind: 'ancestor', agent: root.agent });
  }
  await world.rest();
  expect(world.live).toBe(3);
  expect(await world.runtime.waitForChildren(root.agent)).toBe(false);
  await world.advance(31 * minute);
});
