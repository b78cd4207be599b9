/** What becomes of the agents of a process that died, when the next one recovers (S10.1, P13, P15, P16, P18, P20). */
import { describe, expect, test } from 'vitest';
import type { AgentTool } from '../../src/agents/tool.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { gate } from '../support/gate.ts';
import { callsTool, leavesCallOpen, says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';
import { afterCrash, crashAt, reopened, rootId, textOfNotices } from './after-crash.ts';

const c1 = toSessionId('child-1');
const c2 = toSessionId('child-2');
const g1 = toSessionId('grandchild-1');

/** A tree of three levels whose lowest agents are at work when the process dies. */
async function threeLevels(): Promise<World> {
  const world = openWorld();
  world.driver.otherwise(waitsAt());
  const root = await world.openRoot({ id: rootId });
  const child = await world.start(root.agent, { childId: c1, label: 'middle' });
  await world.driver.turn('middle');
  await world.start(world.resident(child.childId).agent, { childId: g1, label: 'leaf' });
  await world.driver.turn('leaf');
  return world;
}

describe('who had work left', () => {
  test('goes on, ancestors first, and no parent ends before its children are back (S10.1, S2.3)', async () => {
    const before = await threeLevels();
    await before.start(before.resident(rootId).agent, { childId: c2, label: 'other' });
    const world = afterCrash(before);
    const leaf = gate();
    world.driver.script('leaf', [waitsAt(leaf), says('leaf is done')]);
    const root = await reopened(world);
    world.store.inject({ at: { method: 'claim', session: c2 }, fault: 'hang' });
    const recovery = world.runtime.recover();
    await world.store.reached({ method: 'claim', session: c2 });
    await world.rest();
    expect(world.driver.turnsOf('middle')[0]?.end).toEqual({ stopReason: 'completed' });
    world.store.release();
    expect(await recovery).toEqual({ resumed: [c1, c2, g1], told: [], removed: [], waiting: [] });
    await world.driver.turn('leaf');
    await world.rest();
    expect(world.events.lives(c1)).toEqual(['start middle']);
    leaf.open();
    await root.whenQuiet();
    expect(world.events.lives(c1)).toEqual(['start middle', 'end middle completed']);
    expect(await textOfNotices(world, c1)).toEqual([expect.stringContaining('leaf is done')]);
  });

  test('waits for a place and holds none meanwhile: never more live than the bound, and all come to their turn (S1.13)', async () => {
    const before = openWorld();
    before.driver.otherwise(waitsAt());
    const ids = Array.from({ length: 6 }, (_, index) => toSessionId(`child-${index}`));
    const first = await before.openRoot({ id: rootId });
    for (const childId of ids) await before.start(first.agent, { childId });
    await before.rest();
    const world = afterCrash(before, { capacity: { perRoot: 2 } });
    const root = await reopened(world);
    const live: number[] = [];
    world.runtime.events$.subscribe(() => live.push(world.live));
    expect((await world.runtime.recover()).resumed).toEqual(ids);
    await root.whenQuiet();
    expect(Math.max(...live)).toBe(2);
    expect(
      world.events
        .of('subagent/end')
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...ids].sort());
  });

  test('is left with the reason when there is no place that could become free', async () => {
    const world = afterCrash(await threeLevels(), { capacity: { perRoot: 1 } });
    world.expectFaults('recovery');
    await reopened(world);
    const { resumed, waiting } = await world.runtime.recover();
    expect({ resumed, waiting }).toEqual({ resumed: [c1], waiting: [{ id: g1, reason: 'ACTIVATION_LIMIT_REACHED' }] });
  });

  test('waits for its top-level agent, which its host opens when it will', async () => {
    const world = afterCrash(await threeLevels());
    const everyone = [rootId, c1, g1].map((id) => ({ id, reason: 'parent-not-open' }));
    expect((await world.runtime.recover()).waiting.filter(({ id }) => id !== rootId)).toEqual(everyone.slice(1));
    const heard: string[] = [];
    await world.attachRoot({ id: rootId, deliver: ({ messageId }) => void heard.push(messageId) });
    expect((await world.runtime.recover()).resumed).toEqual([c1, g1]);
    await world.gone(c1);
    expect(heard).toEqual([`${c1}:2`]);
  });

  test('is not resumed twice when it is resumed by a message while recovery waits for a place (P20)', async () => {
    const before = openWorld();
    before.driver.otherwise(waitsAt());
    const first = await before.openRoot({ id: rootId });
    for (const childId of [c1, c2]) await before.start(first.agent, { childId, label: childId });
    await before.rest();
    const world = afterCrash(before, { capacity: { perRoot: 1 } });
    const [one, two] = [gate(), gate()];
    world.driver.script(c1, [waitsAt(one)]);
    world.driver.script(c2, [waitsAt(two), says('once')]);
    const root = await reopened(world);
    const recovery = world.runtime.recover();
    await world.driver.turn(c1);
    const oneGone = world.gone(c1);
    one.open();
    // whoever is first takes the place; the other finds it live
    await oneGone.then(() => world.runtime.sendMessage(root.agent, c2, [{ type: 'text', text: 'you too' }]));
    await recovery;
    two.open();
    await root.whenQuiet();
    expect(world.events.lives(c2)).toEqual([`start ${c2}`, `end ${c2} completed`]);
    expect(world.faults).toEqual([]);
  });

  test('is not lost when its parent is on its way out: recovery waits for that and opens the parent again', async () => {
    const before = await threeLevels();
    const world = afterCrash(before);
    const root = await reopened(world);
    world.store.inject({ at: { method: 'append', session: c1, event: 'activation/ended' }, fault: 'hang' });
    // the parent is woken by a message and ends by itself, its child not being attached yet
    await world.runtime.sendMessage(root.agent, c1, [{ type: 'text', text: 'on your own' }]);
    await world.store.reached({ method: 'append', session: c1, event: 'activation/ended' });
    const disposal = world.runtime.drainChildren(root.agent, [c1]);
    const recovery = world.runtime.recover();
    await world.rest();
    world.store.release();
    await disposal;
    expect((await recovery).resumed).toEqual([g1]);
    await root.whenQuiet();
    expect(await textOfNotices(world, c1)).toHaveLength(1);
  });
});

describe('a start', () => {
  test('that no catalog lists is taken back: nobody was told of it', async () => {
    const before = openWorld();
    const first = await before.openRoot({ id: rootId });
    crashAt(before, { method: 'append', session: rootId, event: 'subagent/child' }, false);
    before.start(first.agent, { childId: c1 }).catch(() => undefined); // nobody is left to hear of it
    await before.store.reached({ method: 'append', session: rootId, event: 'subagent/child' });
    const world = afterCrash(before);
    const root = await reopened(world);
    expect((await world.runtime.recover()).removed).toEqual([c1]);
    expect(await world.hasSession(c1)).toBe(false);
    const again = await world.start(root.agent, { childId: c1 });
    expect((await again.result).stopReason).toBe('completed');
  });

  test('that is listed goes on, though its caller has not heard of it', async () => {
    const before = openWorld();
    const first = await before.openRoot({ id: rootId });
    crashAt(before, { method: 'append', session: rootId, event: 'subagent/child' }, true);
    before.start(first.agent, { childId: c1 }).catch(() => undefined); // nobody is left to hear of it
    await before.store.reached({ method: 'append', session: rootId, event: 'subagent/child' });
    const world = afterCrash(before);
    const root = await reopened(world);
    expect((await world.runtime.recover()).resumed).toEqual([c1]);
    await root.whenQuiet();
    expect(await world.inserted(c1)).toEqual(['go']);
  });
});

describe('a turn that was cut off', () => {
  test('is closed with balanced results and marked; the model is told, and no tool runs again (P18)', async () => {
    const before = openWorld();
    let runs = 0;
    const tool: AgentTool = {
      name: 'charge',
      description: 'takes money',
      inputSchema: { type: 'object' },
      execute: async () => ++runs,
    };
    const composition = { ...before.composition, tools: [tool] };
    before.driver.script('worker', [callsTool('charge'), leavesCallOpen('charge', 'call-open'), waitsAt()]);
    const first = await before.openRoot({ id: rootId, composition });
    await before.start(first.agent, { childId: c1 });
    await before.driver.turn('worker');
    await before.rest();
    const world = afterCrash(before);
    const root = await reopened(world, { composition: { ...world.composition, tools: [tool] } });
    await world.runtime.recover();
    await root.whenQuiet();
    expect(runs).toBe(1);
    const [, cut] = await world.logOf(c1, 'tool/results');
    expect(cut?.data.content).toMatchObject([{ callId: 'call-open', isError: true, isInterrupted: true }]);
    expect((await world.logOf(c1, 'turn/ended'))[0]?.data).toMatchObject({ stopReason: 'error', isInterrupted: true });
    const [resumed] = world.driver.turnsOf('worker'); // the driver refuses an unbalanced history
    expect(resumed?.prompts).toEqual(['go', expect.stringContaining('your last turn was cut off')]);
  });
});

describe('recovery', () => {
  test('is harmless when it runs twice, one after the other or both at once (P15)', async () => {
    const before = await threeLevels();
    const world = afterCrash(before);
    const root = await reopened(world);
    const reports = await Promise.all([world.runtime.recover(), world.runtime.recover()]);
    expect(reports.flatMap(({ resumed }) => resumed)).toEqual([c1, g1]);
    await root.whenQuiet();
    expect(await world.runtime.recover()).toEqual({ resumed: [], told: [], removed: [], waiting: [] });
    expect(await textOfNotices(world, rootId)).toHaveLength(1);
  });

  test('takes nothing from agents that are live, in this runtime or in another one (P20, R4)', async () => {
    const world = await threeLevels();
    const other = openWorld({ store: () => world.store.inner, clock: world.clock });
    const none = { resumed: [], told: [], removed: [], waiting: [] };
    expect([await world.runtime.recover(), await other.runtime.recover()]).toEqual([none, none]);
    const heads = await Promise.all([c1, g1].map((id) => world.store.inner.head(id)));
    expect(heads.map((head) => head?.epoch)).toEqual([1, 1]);
  });
});
