/** A child that recovery brings back is the same child, or it does not come back (P16, P17, P19, S1.10, S1.12, S3.6). */
import { describe, expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { scriptedDriver } from '../support/scripted-driver.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type StartSetup, type World, type WorldSetup } from '../support/world.ts';
import { afterCrash, crashAt, reopened, rootId } from './after-crash.ts';

const c1 = toSessionId('child-1');

/** The process dies while the child is in its turn. */
async function crashedAtWork(start: StartSetup, setup: WorldSetup = {}): Promise<World> {
  const before = openWorld(setup);
  before.driver.otherwise(waitsAt());
  const root = await before.openRoot({ id: rootId, options: { model: 'of the root', maxTokens: 7 } });
  await before.start(root.agent, { childId: c1, ...start });
  await before.rest();
  return before;
}

describe('a child comes back', () => {
  test('with its options, depth, directory, label, provider and parent, whatever its parent runs with now (P16)', async () => {
    const start = { label: 'scout', cwd: 'deep/inside', agentOptions: { model: 'of its own' }, provider: 'fork' };
    const world = afterCrash(await crashedAtWork(start));
    const root = await reopened(world, { cwd: '/elsewhere', options: { model: 'another' } });
    await world.runtime.recover();
    const { agent, options, cwd } = await world.driver.turn('scout');
    expect({ ...agent, cwd }).toMatchObject({ id: c1, depth: 1, label: 'scout', cwd: '/project/deep/inside' });
    expect(options).toEqual({ model: 'of its own', maxTokens: 7 });
    const [started] = world.events.of('subagent/start');
    expect(started).toMatchObject({ id: c1, provider: 'fork', parentId: root.id, depth: 1, local: true });
  });

  test('with its preset (P16)', async () => {
    const persona = scriptedDriver('persona');
    persona.otherwise(waitsAt());
    const presets = { scout: { driver: persona, options: { model: 'of the preset' } } };
    const before = await crashedAtWork({ agentPreset: 'scout' }, { presets });
    const heir = scriptedDriver('heir');
    const world = afterCrash(before, { presets: { scout: { driver: heir } } });
    await reopened(world);
    await world.runtime.recover();
    expect((await heir.turn('worker')).options).toEqual({ model: 'of the preset' });
    expect(world.driver.turns).toEqual([]);
  });

  test('only as itself: without its preset it stays as it is, with a reason, until the preset is there again (P16, P17)', async () => {
    const persona = scriptedDriver('persona');
    persona.otherwise(waitsAt());
    const presets = { scout: { driver: persona } };
    const before = await crashedAtWork({ agentPreset: 'scout' }, { presets });
    const world = afterCrash(before);
    world.expectFaults('recovery');
    await reopened(world);
    const log = await world.log(c1);
    expect((await world.runtime.recover()).waiting).toEqual([{ id: c1, reason: 'RESUME_MISMATCH' }]);
    expect(await world.log(c1)).toEqual(log);
    const healed = afterCrash(world, { presets: { scout: { driver: scriptedDriver() } } });
    await reopened(healed);
    expect((await healed.runtime.recover()).resumed).toEqual([c1]);
  });

  test('only as itself: options that its driver refuses now are a mismatch, and others are not held up by it (P16, P17)', async () => {
    const before = await crashedAtWork({ agentOptions: { model: 'gone' } });
    await before.start(before.resident(rootId).agent, { childId: toSessionId('child-2') });
    await before.rest();
    const world = afterCrash(before);
    world.expectFaults('recovery');
    world.driver.onValidate = ({ model }) => {
      if (model === 'gone') throw new Error('there is no such model');
    };
    await reopened(world);
    const { resumed, waiting } = await world.runtime.recover();
    expect({ resumed, waiting }).toEqual({ resumed: ['child-2'], waiting: [{ id: c1, reason: 'RESUME_MISMATCH' }] });
    expect(world.live).toBeLessThan(2);
  });
});

describe('a fork', () => {
  test('does not run what its parent had not claimed, nor close the turn that its parent had open (P19)', async () => {
    const before = openWorld();
    before.driver.script('root', [says('a first answer')], [waitsAt()]);
    before.driver.script('twin', [waitsAt()]);
    const first = await before.openRoot({ id: rootId });
    await first.ask('one');
    await first.prompt('two');
    await before.driver.turn('root', 2);
    await first.inject('beside it');
    const { childId } = await before.start(first.agent, { childId: c1, label: 'twin', provider: 'fork' });
    await before.driver.turn('twin');
    await first.prompt('three, which nobody has claimed');
    const world = afterCrash(before);
    const root = await reopened(world);
    expect((await world.runtime.recover()).resumed).toEqual([childId]);
    await root.whenQuiet();
    const prompts = world.driver.turnsOf('twin').flatMap((turn) => turn.input.map(({ source }) => source.kind));
    expect(prompts).toEqual(['turn-interrupted']);
    const { header, events } = await world.runtime.readSession(childId);
    const own = events.slice(header.inheritedEvents);
    expect(own.filter(({ type }) => type === 'turn/ended')).toHaveLength(2);
    expect(world.driver.turnsOf('twin')[0]?.prompts).toEqual(['one', 'go', expect.stringContaining('cut off')]);
    const claimed = (await world.logOf(rootId, 'inbox/claimed')).flatMap(({ data }) => data.messageIds);
    expect(new Set(claimed).size).toBe(claimed.length);
  });

  test('that ended with its inherited words only is told of without them (P19)', async () => {
    const before = openWorld();
    before.driver.script('root', [says('words of the parent')]);
    before.driver.script('twin', [() => ({ stopReason: 'refusal' })]);
    const first = await before.openRoot({ id: rootId });
    await first.ask('one');
    crashAt(before, { method: 'append', session: c1, event: 'activation/ended' }, true);
    await before.start(first.agent, { childId: c1, label: 'twin', provider: 'fork' });
    await before.store.reached({ method: 'append', session: c1, event: 'activation/ended' });
    const world = afterCrash(before);
    await reopened(world);
    expect((await world.runtime.recover()).told).toEqual([c1]);
    const [, notice] = await world.inserted(rootId);
    expect(notice).toContain('It left no text.');
  });
});
