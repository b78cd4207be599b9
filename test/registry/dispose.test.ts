/** S1.5: the handle of a start, and what it disposes of. */
import { describe, expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'again' }] as const;

describe('dispose', () => {
  test('it stops the turn, drops the mail for good, ends what is below first, and resolves when all is gone (S1.5, S2.4)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script('worker', [
      async (turn) => {
        await world.start(turn.agent, { label: 'below', delivery: 'parent' });
      },
      waitsAt(place),
    ]);
    world.driver.script('below', [waitsAt()]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await world.driver.turn('below');
    await place.reached;
    await world.runtime.sendMessage(root.agent, childId, hello);
    await child.dispose();
    expect(world.live).toBe(0);
    expect(world.driver.released).toEqual(['below', 'worker']);
    expect(world.events.lives()).toEqual(['start worker', 'start below', 'end below aborted', 'end worker aborted']);
    expect((await child.result).stopReason).toBe('aborted');
    expect((await world.logOf(childId, 'inbox/discarded')).map(({ data }) => data)).toMatchObject([
      { messageIds: [expect.any(String)], waking: 1, reason: 'disposed' },
    ]);
    expect((await world.store.inner.pending()).filter(({ header }) => header.id === childId)).toEqual([]);
  });

  test('it is idempotent and the same for all who call it, also at once, also by `await using` (S1.5)', async () => {
    const world = openWorld();
    world.driver.otherwise(waitsAt());
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    {
      await using held = child;
      await Promise.all([held.dispose(), held.dispose(), held[Symbol.asyncDispose]()]);
      expect(world.isResident(childId)).toBe(false);
    }
    await child.dispose();
    expect(world.driver.released).toEqual(['worker']);
    expect(world.events.of('subagent/end')).toHaveLength(1);
  });

  test('it does nothing to a child that has ended, and keeps its outcome (S1.5, P05)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    const result = await child.result;
    const before = await world.log(childId);
    await child.dispose();
    expect(await world.log(childId)).toEqual(before);
    expect(await child.result).toBe(result);
  });

  test('it never touches a later activation of the same session (S1.5)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script('worker', [says('first')], [waitsAt(place), says('second')]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await child.result;
    await world.runtime.sendMessage(root.agent, childId, hello);
    await place.reached;
    await child.dispose();
    expect(world.isResident(childId)).toBe(true);
    place.open();
    await world.gone(childId);
    expect(world.events.lives(childId)).toEqual(['start worker', 'end worker completed', 'start worker', 'end worker completed']);
    expect(await child.result).toMatchObject({ output: [{ text: 'first' }] });
  });

  test('it never touches siblings or the parent (S1.5, P10)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script('worker', [waitsAt()]);
    world.driver.script('sibling', [waitsAt(place), says('fine')]);
    const root = await world.openRoot();
    const [child, sibling] = [await world.start(root.agent), await world.start(root.agent, { label: 'sibling' })];
    await place.reached;
    await child.dispose();
    expect(world.driver.turnsOf('sibling')[0]?.turn.signal.aborted).toBe(false);
    place.open();
    expect((await sibling.result).stopReason).toBe('completed');
  });

  test('it ends an external child: its run is disposed once, and only then does it resolve (S1.5, S2.10)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    const place = gate();
    remote.plan({ disposeAt: place });
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { provider: 'remote' });
    let isGone = false;
    const disposal = child.dispose().then(() => {
      isGone = true;
    });
    await place.reached;
    await world.rest();
    expect(isGone).toBe(false);
    place.open();
    await disposal;
    expect(await remote.run()).toMatchObject({ disposals: 1, isGone: true });
    expect((await child.result).stopReason).toBe('aborted');
  });

  test('it takes the same way at every moment of a life, and nothing is left (S1.5)', async () => {
    // each number of microtasks after publication is another moment: before the claim, in the turn, in each step of the release
    for (let ticks = 0; ticks < 120; ticks++) {
      const world = openWorld();
      const root = await world.openRoot();
      const child = await world.start(root.agent, { childId, delivery: ticks % 2 === 0 ? 'parent' : 'caller' });
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      await child.dispose();
      const { stopReason } = await child.result;
      expect(['completed', 'aborted']).toContain(stopReason);
      expect(world.live).toBe(0);
      expect(world.events.lives(childId)).toEqual(['start worker', `end worker ${stopReason}`]);
      expect((await world.logOf(childId, 'activation/ended')).map(({ data }) => data.stopReason)).toEqual([stopReason]);
      const types = await world.typesOf(childId);
      const left = types.filter((type) => type === 'inbox/claimed' || type === 'inbox/discarded');
      expect(left, `the prompt leaves once (tick ${ticks})`).toHaveLength(1);
      expect((await world.store.inner.pending()).filter(({ header }) => header.id === childId)).toEqual([]);
      await world.close();
    }
  });
});

describe('a teardown that fails', () => {
  test('dispose rejects it, to everybody who asks, also afterwards (S1.4, S2.6)', async () => {
    const world = openWorld();
    world.expectFaults('dispose');
    world.driver.onRelease = (agent) => {
      if (agent.label === 'worker') throw new Error('stuck');
    };
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    expect((await child.result).stopReason).toBe('completed');
    expect(await Promise.all([codeOf(child.dispose()), codeOf(child.dispose())])).toEqual([
      'ACTIVATION_TEARDOWN_FAILED',
      'ACTIVATION_TEARDOWN_FAILED',
    ]);
    await expect(child.dispose()).rejects.toMatchObject({ cause: { message: 'stuck' } });
  });
});
