/** S4.3, S4.4: ending what is below an agent, and nothing else. */
import { describe, expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { scriptedLocalProvider, scriptedProvider } from '../support/scripted-provider.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const id = toSessionId;
const hello = [{ type: 'text', text: 'hello' }] as const;

/** Two roots. Below the first: `a` with `a1` and `a2`, and `b`, all in a turn that only a stop ends, and `c`, which has settled. */
async function trees() {
  const world = openWorld({ capacity: { perRoot: 20 } });
  world.driver.otherwise(waitsAt());
  world.driver.script('c', [says('bye')]);
  const root = await world.openRoot({ label: 'root' });
  const other = await world.openRoot({ label: 'other' });
  const start = (parentId: string, label: string) => world.start(world.resident(parentId).agent, { label, childId: id(label) });
  for (const label of ['a', 'b', 'c']) await start(root.id, label);
  for (const label of ['a1', 'a2']) await start('a', label);
  await start(other.id, 'far');
  await world.rest();
  const stopped = () => world.driver.turns.filter(({ turn }) => turn.signal.aborted).map(({ label }) => label);
  return { world, root, other, stopped };
}

describe('drainDescendants (S4.3)', () => {
  test('it stops everything below before it returns, and lets go from the leaves up; the agent and other trees go on (S4.3, S2.4)', async () => {
    const { world, root, other, stopped } = await trees();
    const draining = world.runtime.drainDescendants([root.agent]);
    expect(stopped().sort()).toEqual(['a', 'a1', 'a2', 'b']);
    await draining;
    const released = world.driver.released.filter((label) => label !== 'c');
    expect(released.toSorted()).toEqual(['a', 'a1', 'a2', 'b']);
    expect(released.indexOf('a')).toBeGreaterThan(Math.max(released.indexOf('a1'), released.indexOf('a2')));
    expect(world.isResident(root.id)).toBe(true);
    expect(world.isResident('far')).toBe(true);
    expect(world.live).toBe(1);
    expect(await codeOf(world.start(other.agent, { label: 'near' }))).toBe('done');
  });

  test('from then on nothing comes to life below the agent, by start, message or person, until it leaves (S4.3)', async () => {
    const { world, root } = await trees();
    await world.runtime.drainDescendants([root.agent]);
    const before = await world.typesOf('c');
    const prompt = { parentId: root.id, childId: 'c', requestId: 'r', delivery: 'queue', content: hello } as const;
    expect(await codeOf(world.start(root.agent))).toBe('DRAINING');
    expect(await codeOf(world.runtime.sendMessage(root.agent, 'c', hello))).toBe('DRAINING');
    expect(await codeOf(world.runtime.prompt(prompt))).toBe('DRAINING');
    await world.advance(1_000_000);
    expect(await codeOf(world.start(root.agent))).toBe('DRAINING');
    expect([await world.typesOf('c'), world.live]).toEqual([before, 1]);
    await root.close();
    const again = await world.openRoot({ id: root.id, label: 'root' });
    expect(await codeOf(world.runtime.sendMessage(again.agent, 'c', hello))).toBe('done');
  });

  test('below a child it ends what the child started, and its siblings and parent never hear a stop (S4.3)', async () => {
    const { world, stopped } = await trees();
    await world.runtime.drainDescendants([world.resident('a').agent]);
    expect(stopped().sort()).toEqual(['a1', 'a2']);
    expect(['a', 'b', 'far'].every((label) => world.isResident(label))).toBe(true);
    expect(await codeOf(world.start(world.resident('a').agent))).toBe('DRAINING');
    expect(await codeOf(world.start(world.resident('b').agent))).toBe('done');
  });

  test('an agent and one below it in one call are drained once (S4.3)', async () => {
    const { world, root } = await trees();
    world.driver.onRelease = ({ label }) => {
      if (label === 'a1') throw new Error('it will not let go');
    };
    world.expectFaults('dispose');
    const error = await world.runtime.drainDescendants([world.resident('a').agent, root.agent]).catch((fault: unknown) => fault);
    expect(error).toMatchObject({ code: 'ACTIVATION_TEARDOWN_FAILED', cause: { errors: { length: 1 } } });
    expect((error as Error).message).toBe('1 of 4 agents ended with a failed release');
    expect(world.live).toBe(1);
  });

  test('a child that is being made is waited for, and is never seen to run (S4.3, P11)', async () => {
    const { world, root } = await trees();
    const place = gate();
    const cleaned: string[] = [];
    const slow = scriptedLocalProvider(
      async ({ signal }) => {
        await place.pass();
        cleaned.push(signal.aborted ? 'was told' : 'was not told');
        return {};
      },
      { name: 'slow' },
    );
    world.runtime.registerProvider(slow);
    const starting = codeOf(world.start(root.agent, { provider: 'slow', label: 'late', childId: id('late') }));
    await place.reached;
    let isDrained = false;
    const draining = world.runtime.drainDescendants([root.agent]).then(() => {
      isDrained = true;
    });
    await world.rest();
    expect(isDrained, 'while the provider prepares').toBe(false);
    place.open();
    await draining;
    expect(await starting).toBe('DRAINING');
    expect(cleaned).toEqual(['was told']);
    expect(await world.hasSession('late')).toBe(false);
    expect(world.driver.turnsOf('late')).toEqual([]);
  });

  test('the clean-up of an external child is waited for, whether it runs or is being started (S4.3, S4.4)', async () => {
    const { world, root } = await trees();
    const remote = scriptedProvider();
    const [cleaning, starting] = [gate(), gate()];
    remote.plan({ disposeAt: cleaning }, { startAt: starting, ignoresSignal: true, disposeAt: cleaning });
    world.runtime.registerProvider(remote);
    await world.start(root.agent, { provider: 'remote', label: 'runs' });
    const second = codeOf(world.start(root.agent, { provider: 'remote', label: 'starts' }));
    await starting.reached;
    let isDrained = false;
    const draining = world.runtime.drainDescendants([root.agent]).then(() => {
      isDrained = true;
    });
    starting.open();
    await world.rest();
    expect(isDrained).toBe(false);
    cleaning.open();
    await draining;
    expect(await second).toBe('DRAINING');
    expect(remote.runs.map(({ isGone, disposals }) => [isGone, disposals])).toEqual([
      [true, 1],
      [true, 1],
    ]);
  });
});

describe('drainChildren (S4.4)', () => {
  test('it ends the chosen children with what is below them; the others stay, and new ones are admitted (S4.4)', async () => {
    const { world, root, stopped } = await trees();
    await world.runtime.drainChildren(root.agent, ['a', 'a', 'c', 'never-was']);
    expect(stopped().sort()).toEqual(['a', 'a1', 'a2']);
    expect(world.isResident('b')).toBe(true);
    expect(await codeOf(world.runtime.sendMessage(root.agent, 'a', hello))).toBe('done');
    expect(await codeOf(world.start(root.agent))).toBe('done');
  });

  test.each(['a1', 'far', 'root', 'other'])(
    'with %s among the chosen it is refused as a whole, and nobody is stopped (S4.4)',
    async (name) => {
      const { world, root, other, stopped } = await trees();
      const wrong = name === 'root' ? root.id : name === 'other' ? other.id : name;
      expect(await codeOf(world.runtime.drainChildren(root.agent, ['b', wrong]))).toBe('UNAUTHORIZED');
      await world.rest();
      expect(stopped()).toEqual([]);
    },
  );

  test('a branch that fails does not keep the others, and its failure comes when all have ended (S4.4)', async () => {
    const { world, root } = await trees();
    world.expectFaults('dispose');
    const place = gate();
    world.driver.onRelease = async ({ label }) => {
      if (label === 'b') await place.pass();
      if (label === 'a2') throw new Error('it will not let go');
    };
    let code: string | undefined;
    const draining = codeOf(world.runtime.drainChildren(root.agent, ['a', 'b'])).then((given) => {
      code = given;
    });
    await place.reached;
    await world.rest();
    expect([code, world.isResident('a')]).toEqual([undefined, false]);
    place.open();
    await draining;
    expect(code).toBe('ACTIVATION_TEARDOWN_FAILED');
    expect(world.live).toBe(1);
  });

  test('a drain leaves unclaimed mail in the log, and the next activation has it, exactly once (S4.4, P13)', async () => {
    const { world, root } = await trees();
    await world.runtime.sendMessage(root.agent, 'b', hello);
    await world.runtime.drainChildren(root.agent, ['b']);
    expect(await world.logOf('b', 'inbox/discarded')).toEqual([]);
    world.driver.script('b', [says('ok')], [says('ok')]);
    await world.runtime.sendMessage(root.agent, 'b', [{ type: 'text', text: 'again' }]);
    await world.gone('b');
    const claims = (await world.logOf('b', 'inbox/claimed')).flatMap(({ data }) => data.messageIds);
    expect(new Set(claims).size).toBe(claims.length);
    expect(claims).toHaveLength(3);
  });
});

test('an agent can drain from within its own turn: the tool that asks goes on (S4.3, J-3)', async () => {
  const world = openWorld();
  const root = await world.openRoot({ label: 'root' });
  const trace: string[] = [];
  world.driver.script('leaf', [waitsAt()]);
  world.driver.script('middle', [
    async ({ agent, signal }) => {
      await world.start(agent, { label: 'leaf' });
      await world.runtime.drainDescendants([agent]);
      trace.push(`drained, ${signal.aborted ? 'stopped' : 'goes on'}`);
    },
  ]);
  const child = await world.start(root.agent, { label: 'middle' });
  expect((await child.result).stopReason).toBe('completed');
  expect(trace).toEqual(['drained, goes on']);
  expect(world.events.lives()).toEqual(['start middle', 'start leaf', 'end leaf aborted', 'end middle completed']);
});
