/** S2.4, V-3: the order in which a tree ends. */
import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/sessions/content.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'again' }] as const;

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
    const agents = [...world.registry.residents.values()];
    const first = root.close();
    expect(agents.map((agent) => [agent.agent.label, agent.hasTag('ending'), agent.isReceiving])).toEqual([
      ['root', true, false],
      ['middle', true, false],
      ['leaf', true, false],
    ]);
    const second = root.close();
    await releasing.reached;
    await world.rest();
    expect(log.slice(0, 3)).toEqual(['stop root', 'stop middle', 'stop leaf']);
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

  test('a stop under a parent that stops is a latch: what the parent starts or brings back meanwhile is refused at once (P11, S2.4)', async () => {
    const world = openWorld();
    const codes: string[] = [];
    world.driver.script('worker', [
      async ({ agent }) => void (await (await world.start(agent, { label: 'leaf', childId: toSessionId('leaf') })).result),
      waitsAtStop(async (agent) => {
        codes.push(await codeOf(world.start(agent, { label: 'late' })));
        codes.push(await codeOf(world.runtime.sendMessage(agent, 'leaf', hello)));
      }),
    ]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await world.driver.turn('leaf');
    await world.rest();
    await child.dispose();
    expect(codes).toEqual(['DRAINING', 'DRAINING']);
    expect(world.driver.turnsOf('late')).toEqual([]);
    expect(world.driver.turnsOf('leaf')).toHaveLength(1);
  });
});

function waitsAtStop(then: (agent: Parameters<World['start']>[0]) => Promise<void>) {
  return async (turn: { agent: Parameters<World['start']>[0]; signal: AbortSignal }) => {
    await new Promise((resolve) => turn.signal.addEventListener('abort', resolve));
    await then(turn.agent);
    return { stopReason: 'aborted' } as const;
  };
}
