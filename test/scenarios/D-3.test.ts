/**
 * D-3: interrupting an agent keeps its background children, at every entry point; what a call of that turn waits for is
 * part of the turn, and ends with it. To end the children as well is a verb of its own: a drain.
 */
import { expect, test } from 'vitest';
import { textOf } from '../../src/sessions/content.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { delegateTool } from '../../src/tools/delegate.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { callsTool, does, says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const hello = [{ type: 'text', text: 'hello' }] as const;

/** Root, and below it `parent` in a turn: two background children run, and a third is waited for by a call of that turn. */
async function delegating() {
  const world = openWorld();
  const place = gate();
  const tool = delegateTool({ runtime: world.runtime, provider: 'spawn' });
  world.driver.script('parent', [
    does(async ({ agent }) => {
      for (const label of ['one', 'two']) await world.start(agent, { label, childId: toSessionId(label) });
    }),
    callsTool('delegate', { description: 'front', prompt: 'look', run_in_background: false }),
    does(({ signal }) => (signal.aborted ? { stopReason: 'aborted' } : undefined)),
  ]);
  for (const label of ['one', 'two']) world.driver.script(label, [waitsAt(place), says(`${label} found it`)]);
  world.driver.script('front', [waitsAt()]);
  const root = await world.openRoot({ composition: { driver: world.driver, tools: [tool] } });
  const parent = await world.start(root.agent, { label: 'parent', childId: toSessionId('parent') });
  await world.driver.turn('front');
  await world.rest();
  const stopped = () => world.driver.turns.filter(({ turn }) => turn.signal.aborted).map(({ label }) => label);
  return { world, root, parent, place, stopped };
}

test.each(['user', 'ancestor'] as const)(
  'by the %s: background children go on, can be messaged, and their notices come later; the awaited child ends with its call (D-3, P10)',
  async (kind) => {
    const { world, root, parent, place, stopped } = await delegating();
    const authority = kind === 'user' ? { kind, parentSessionId: root.id } : { kind, agent: root.agent };
    world.runtime.interrupt('parent', authority);
    await world.rest();
    expect(stopped().sort()).toEqual(['front', 'parent']);
    expect(world.events.lives().filter((line) => line.startsWith('end'))).toEqual(['end front aborted']);
    expect(world.driver.turnsOf('parent')[0]?.results).toMatchObject([{ isError: true }]);
    const agent = world.resident('parent').agent;
    for (const id of ['one', 'two']) expect(await codeOf(world.runtime.sendMessage(agent, id, hello))).toBe('done');
    place.open();
    await parent.result;
    const logged = await world.logOf('parent', 'inbox/inserted');
    const summaries = logged.flatMap(({ data: { source } }) => (source.kind === 'subagent-settled' ? [source.summary] : []));
    expect(summaries.sort()).toEqual(['one ended: completed', 'two ended: completed']);
  },
);

test('a new prompt to an agent stops none of its children (D-3)', async () => {
  const { world, root, parent, place, stopped } = await delegating();
  await world.runtime.sendMessage(root.agent, 'parent', hello);
  await world.runtime.prompt({ parentId: root.id, childId: 'parent', requestId: 'r', delivery: 'queue', content: hello });
  await world.rest();
  expect(stopped()).toEqual([]);
  expect(world.live).toBe(4);
  place.open();
  await parent.dispose();
});

test('a drain ends them all, each with a notice in its parent’s log, and each can be taken up again (D-3, P12)', async () => {
  const { world, stopped } = await delegating();
  const { agent } = world.resident('parent');
  await world.runtime.drainDescendants([agent]);
  await world.rest();
  expect(stopped().sort()).toEqual(['front', 'one', 'two']);
  const logged = await world.logOf('parent', 'inbox/inserted');
  const summaries = logged.flatMap(({ data: { source } }) => (source.kind === 'subagent-settled' ? [source.summary] : []));
  expect(summaries.sort()).toEqual(['one ended: aborted', 'two ended: aborted']);
  await world.gone('parent');
  expect((await world.runtime.readSession('one')).transcript.map(({ content }) => textOf(content as never))).toContain('go');
});
