/** S2.1 to S2.4, V-3: the states of an activation as the world sees them, and the order in which a tree ends. */
import { describe, expect, test } from 'vitest';
import type { ActivationActor } from '../../src/actors/residency.ts';
import { textOf } from '../../src/sessions/content.ts';
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

describe('the end of a tree (S2.4)', () => {
  /** Root, middle and leaf, each in a turn; the log records when each is told to stop and when it is gone. */
  async function threeLevels() {
    const world = openWorld();
    const log: string[] = [];
    const releasing = gate();
    world.driver.onRelease = async (agent) => {
      log.push(`dispose ${agent.label}`);
      if (agent.label === 'leaf') await releasing.pass();
      // what a release needs of its parent is still there
      log.push(`gone ${agent.label}`);
    };
    const stopped = (label: string) => async (turn: { signal: AbortSignal }) => {
      turn.signal.addEventListener('abort', () => log.push(`stop ${label}`));
    };
    world.driver.script('root', [
      stopped('root'),
      async ({ agent }) => void (await world.start(agent, { label: 'middle' })),
      waitsAt(),
    ]);
    world.driver.script('middle', [
      stopped('middle'),
      async ({ agent }) => void (await world.start(agent, { label: 'leaf' })),
      waitsAt(),
    ]);
    world.driver.script('leaf', [stopped('leaf'), waitsAt()]);
    const root = await world.openRoot();
    await root.prompt('go');
    await world.driver.turn('leaf');
    await world.rest();
    return { world, root, log, releasing };
  }

  test('cancellation goes down at once, release comes up: leaf, then middle, then root (S2.4, V-3)', async () => {
    const { world, root, log, releasing } = await threeLevels();
    world.runtime.events$.subscribe((event) => {
      if (event.type !== 'session/appended') return;
      const label = event.agentId === root.id ? 'root' : world.resident(event.agentId).agent.label;
      if (event.events.some(({ type }) => type === 'activation/ended')) log.push(`flush ${label}`);
    });
    const first = root.close();
    expect(log).toEqual(['stop root', 'stop middle', 'stop leaf']);
    const second = root.close();
    await releasing.reached;
    await world.rest();
    expect(log.slice(3)).toEqual(['flush leaf', 'dispose leaf']);
    expect(world.isResident(root.id)).toBe(true);
    releasing.open();
    await Promise.all([first, second]);
    expect(log.slice(3)).toEqual([
      'flush leaf',
      'dispose leaf',
      'gone leaf',
      'flush middle',
      'dispose middle',
      'gone middle',
      'flush root',
      'dispose root',
      'gone root',
    ]);
  });

  test('both of two disposals at once resolve together, and everything is disposed once (V-3, P40)', async () => {
    const { world, root, log, releasing } = await threeLevels();
    const order: string[] = [];
    const one = root.close().then(() => order.push('one'));
    const other = world.runtime.close().then(() => order.push('other'));
    await releasing.reached;
    await world.rest();
    expect(order).toEqual([]);
    releasing.open();
    await Promise.all([one, other]);
    expect(log.filter((line) => line.startsWith('gone'))).toEqual(['gone leaf', 'gone middle', 'gone root']);
    const { writes } = world.store;
    await world.advance(1_000_000);
    expect(world.store.writes, 'writes after the end').toBe(writes);
  });

  test('a message that was accepted before the stop is in the log, and the next activation has it (V-3, P13)', async () => {
    const { world, root, releasing } = await threeLevels();
    const middle = (await world.runtime.listChildren(root.id))[0]?.id ?? '';
    await world.runtime.sendMessage(root.agent, middle, hello);
    releasing.open();
    await root.close();
    expect(await world.inserted(middle)).toContain('again');
    const reopened = await world.openRoot({ id: root.id });
    await world.runtime.sendMessage(reopened.agent, middle, [{ type: 'text', text: 'and more' }]);
    await world.gone(middle);
    const inputs = world.driver
      .turnsOf('middle')
      .slice(1)
      .flatMap(({ input }) => input.map(({ content }) => textOf(content)));
    expect(inputs).toEqual(['again', 'It left no text.', 'and more']);
  });

  test('a stop under a parent that stops is a latch: what the parent starts meanwhile is refused at once (P11, S2.4)', async () => {
    const world = openWorld();
    const codes: string[] = [];
    world.driver.script('worker', [
      waitsAtStop(async (agent) => {
        codes.push(await codeOf(world.start(agent, { label: 'late' })));
      }),
    ]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await world.driver.turn('worker');
    await child.dispose();
    expect(codes).toEqual(['DRAINING']);
    expect(world.driver.turnsOf('late')).toEqual([]);
  });
});

function waitsAtStop(then: (agent: Parameters<World['start']>[0]) => Promise<void>) {
  return async (turn: { agent: Parameters<World['start']>[0]; signal: AbortSignal }) => {
    await new Promise((resolve) => turn.signal.addEventListener('abort', resolve));
    await then(turn.agent);
    return { stopReason: 'aborted' } as const;
  };
}
