/** S2.1 to S2.3: the states of an activation as the world sees them. */
import { describe, expect, test } from 'vitest';
import type { ActivationActor } from '../../src/actors/residency.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'again' }] as const;
const stateOf = (world: World, id: string) => (world.resident(id).actor as ActivationActor).getSnapshot().value;

describe('an activation (S2.1)', () => {
  test('it goes from materialising over running and waiting to settled, releasing and gone (S2.1)', async () => {
    const world = openWorld();
    const [made, turn, leaf, seal, release] = [gate(), gate(), gate(), gate(), gate()];
    const seen: unknown[] = [];
    world.driver.onValidate = (options) => (options.model === 'slow' ? made.pass() : undefined);
    world.driver.onRelease = (agent) => (agent.label === 'worker' ? release.pass() : undefined);
    world.driver.script('worker', [
      async ({ agent }) =>
        void (await world.start(agent, { label: 'leaf', delivery: 'caller', agentOptions: { model: 'fast' } })),
      waitsAt(turn),
    ]);
    world.driver.script('leaf', [waitsAt(leaf)]);
    const root = await world.openRoot();
    const starting = world.start(root.agent, { childId, agentOptions: { model: 'slow' } });
    seen.push(stateOf(world, childId));
    made.open();
    const child = await starting;
    await turn.reached;
    seen.push(stateOf(world, childId));
    turn.open();
    await world.rest();
    seen.push(stateOf(world, childId));
    world.store.inject({ at: { method: 'append', session: childId, event: 'activation/ended' }, fault: 'hang' });
    leaf.open();
    await world.store.reached({ method: 'append', session: childId, event: 'activation/ended' });
    seen.push(stateOf(world, childId));
    world.store.release();
    await release.reached;
    seen.push(stateOf(world, childId));
    seal.open();
    release.open();
    await child.result;
    expect(seen).toEqual([
      { materializing: 'opening' },
      { resident: { running: 'active' } },
      { resident: { waiting: 'idle' } },
      { resident: 'settled' },
      { releasing: 'disposing' },
    ]);
    expect(world.isResident(childId)).toBe(false);
  });

  test('it is waiting while its inbox is not empty or a child of it is not released, and settles when neither holds (S2.1, S2.3)', async () => {
    const world = openWorld();
    const leaf = gate();
    world.driver.script('worker', [async ({ agent }) => void (await world.start(agent, { label: 'leaf', delivery: 'caller' }))]);
    world.driver.script('leaf', [waitsAt(leaf)]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await leaf.reached;
    await world.advance(1_000_000);
    expect(stateOf(world, childId)).toEqual({ resident: { waiting: 'idle' } });
    leaf.open();
    await child.result;
    expect(world.driver.turnsOf('worker')).toHaveLength(1);
  });

  test('a top-level agent never settles by itself, has no activation events and can be used again and again (S2.3, S2.10)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    for (let round = 0; round < 3; round++) {
      await root.ask('more');
      await world.advance(1_000_000);
      expect(world.isResident(root.id)).toBe(true);
    }
    expect(world.events.lives()).toEqual([]);
    expect(await world.typesOf(root.id)).not.toContain('activation/ended');
    await root.close();
    expect(world.isResident(root.id)).toBe(false);
  });
});

describe('one activation per session (S2.2)', () => {
  test('two messages that come at once to a cold child bring it back once, in their order (S2.2, P20)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    await (await world.start(root.agent, { childId })).result;
    const send = (text: string) => world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text }]);
    await Promise.all(['1', '2', '3'].map(send));
    await world.gone(childId);
    await world.rest();
    expect(await world.inserted(childId)).toEqual(['go', '1', '2', '3']);
    expect((await world.store.inner.head(childId))?.epoch).toBe(2);
    expect(world.events.lives(childId)).toEqual(['start worker', 'end worker completed', 'start worker', 'end worker completed']);
  });

  test('a message to a child that is being released waits for the release, and then brings it back (S2.2, S2.7)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.onRelease = (agent) => (agent.label === 'worker' && !place.isReached ? place.pass() : undefined);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await place.reached;
    let isAccepted = false;
    const sending = world.runtime.sendMessage(root.agent, childId, hello).then(() => {
      isAccepted = true;
    });
    await world.rest();
    expect(isAccepted).toBe(false);
    place.open();
    await sending;
    await child.result;
    expect((await world.driver.turn('worker', 2)).prompts).toContain(`Agent ${root.id} sent a message:\nagain`);
    expect((await world.store.inner.head(childId))?.epoch).toBe(2);
  });

  test('a session that another runtime holds is refused as busy, and nothing has changed (S2.2, P20)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    await (await world.start(root.agent, { childId })).result;
    await world.store.inner.claim(childId, 'another runtime');
    expect(await codeOf(world.runtime.sendMessage(root.agent, childId, hello))).toBe('BUSY');
    expect(world.live).toBe(0);
    expect(await world.inserted(childId)).toEqual(['go']);
    expect(world.events.of('subagent/start')).toHaveLength(1);
  });
});

describe('ownership (S2.3)', () => {
  test('the parent owns a child before it can run: it is listed, counted and owned when its first turn begins (S2.3)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    world.driver.script('worker', [
      async () => {
        expect(world.resident(root.id).children.size).toBe(1);
        expect(await world.runtime.listChildren(root.id)).toHaveLength(1);
        expect(world.events.lives()).toEqual(['start worker']);
      },
    ]);
    await (await world.start(root.agent, { childId })).result;
    expect(world.driver.turnsOf('worker')[0]?.end).toEqual({ stopReason: 'completed' });
  });

  test('a message makes the parent own the child that it brings back (S2.3)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script('leaf', [says('first')], [waitsAt(place)]);
    world.driver.script('worker', [
      async ({ agent }) => {
        const leaf = await world.start(agent, { label: 'leaf', childId: toSessionId('leaf'), delivery: 'caller' });
        await leaf.result;
        await world.runtime.sendMessage(agent, 'leaf', hello);
      },
    ]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await place.reached;
    await world.rest();
    expect(stateOf(world, childId)).toEqual({ resident: { waiting: 'idle' } });
    place.open();
    await child.result;
    expect(world.events.lives().filter((life) => life.startsWith('end'))).toEqual([
      'end leaf completed',
      'end leaf completed',
      'end worker completed',
    ]);
  });
});
