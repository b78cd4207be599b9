/** S3.1: who may send to whom. */
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'hello' }] as const;

/** Root with children `one` and `two`; `one` has a child `leaf`. All are in a turn until the gate opens. */
async function family() {
  const world = openWorld();
  const place = gate();
  world.driver.script('one', [
    async ({ agent }) => void (await world.start(agent, { label: 'leaf', childId: toSessionId('leaf') })),
    waitsAt(place),
  ]);
  world.driver.script('two', [waitsAt(place)]);
  world.driver.script('leaf', [waitsAt(place)]);
  const root = await world.openRoot();
  for (const id of ['one', 'two']) await world.start(root.agent, { label: id, childId: toSessionId(id) });
  await world.driver.turn('leaf');
  await world.rest();
  const agent = (id: string) => (id === 'root' ? root.agent : world.resident(id).agent);
  const send = (from: string | Agent, to: string) =>
    codeOf(world.runtime.sendMessage(typeof from === 'string' ? agent(from) : from, to === 'root' ? root.id : to, hello));
  return { world, root, place, agent, send };
}

describe('the right to send (S3.1)', () => {
  test('it reaches the direct parent and direct children, and nobody else (S3.1, P35)', async () => {
    const { send } = await family();
    const allowed = [
      ['root', 'one'],
      ['root', 'two'],
      ['one', 'root'],
      ['one', 'leaf'],
      ['leaf', 'one'],
    ];
    const forbidden = [
      ['one', 'two'],
      ['two', 'one'],
      ['root', 'leaf'],
      ['leaf', 'root'],
      ['leaf', 'two'],
      ['two', 'leaf'],
      ['one', 'one'],
      ['root', 'root'],
      ['one', 'nobody'],
      ['root', '../x'],
      ['root', ''],
    ];
    for (const [from = '', to = ''] of allowed) expect(await send(from, to), `${from} to ${to}`).toBe('done');
    for (const [from = '', to = ''] of forbidden) expect(await send(from, to), `${from} to ${to}`).toBe('UNAUTHORIZED');
  });

  test('a refusal writes nothing, takes nothing and wakes nobody (S3.1)', async () => {
    const { world, send } = await family();
    const { writes } = world.store;
    const live = world.live;
    expect(await send('one', 'two')).toBe('UNAUTHORIZED');
    expect(await send('root', 'leaf')).toBe('UNAUTHORIZED');
    expect(world.store.writes).toBe(writes);
    expect(world.live).toBe(live);
  });

  test('it needs the exact live instance: not a copy, not the agent of an earlier activation, not nothing (S3.1)', async () => {
    const { world, root, place, agent, send } = await family();
    const old = agent('two');
    expect(await send({ ...old, cwd: '/project' }, 'root')).toBe('UNAUTHORIZED');
    expect(await send(undefined as never, 'root')).toBe('UNAUTHORIZED');
    expect(await send(null as never, 'root')).toBe('UNAUTHORIZED');
    expect(await send(7 as never, 'root')).toBe('UNAUTHORIZED');
    place.open();
    await world.gone('two');
    expect(await send(old, 'root')).toBe('UNAUTHORIZED');
    const again = gate();
    world.driver.script('two', [waitsAt(again)]);
    await world.runtime.sendMessage(root.agent, 'two', hello);
    await again.reached;
    expect(await send(old, 'root'), 'a stale instance while another is live').toBe('UNAUTHORIZED');
    expect(await send('two', 'root')).toBe('done');
    again.open();
  });

  test('an external child takes no messages, live or ended, listed or not (S3.1)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    const listed = await world.start(root.agent, { provider: 'remote' });
    const unlisted = await world.start(root.agent, { provider: 'remote', delivery: 'caller' });
    for (const { childId: id } of [listed, unlisted])
      expect(await codeOf(world.runtime.sendMessage(root.agent, id, hello))).toBe('NOT_RESUMABLE');
    (await remote.run(1)).settle();
    await listed.result;
    expect(await codeOf(world.runtime.sendMessage(root.agent, listed.childId, hello))).toBe('NOT_RESUMABLE');
  });

  test.each(['one-shot', 'unknown', 'external'] as const)(
    'a child that the catalog calls %s takes no messages (S3.1)',
    async (mode) => {
      const world = openWorld();
      if (mode === 'external') world.expectTraceProblems('settled-notice');
      const root = await world.openRoot();
      const session = world.resident(root.id).session;
      await session?.append([{ type: 'subagent/child', time: 0, data: { id: 'old', mode, createdAt: 0 } }]);
      expect(await codeOf(world.runtime.sendMessage(root.agent, 'old', hello))).toBe('NOT_RESUMABLE');
    },
  );

  test('a child whose parent has gone is gone itself, and its agent has no authority any more (S3.1)', async () => {
    const world = openWorld();
    world.driver.script('worker', [waitsAt()]);
    const root = await world.openRoot();
    await world.start(root.agent, { childId });
    const { agent } = world.resident(childId);
    await root.close();
    expect(await codeOf(world.runtime.sendMessage(agent, root.id, hello))).toBe('UNAUTHORIZED');
  });

  test('a child that outlives the bound of its parent’s end is told that the parent takes nothing any more (S3.1, S2.4)', async () => {
    const world = openWorld({ limits: { disposeMs: 100_000, drainMs: 1_000 } });
    const place = gate();
    world.driver.onRelease = (agent) => (agent.label === 'worker' ? place.pass() : undefined);
    const root = await world.openRoot();
    await world.start(root.agent, { childId });
    await place.reached;
    const { agent } = world.resident(childId);
    const closing = codeOf(root.close());
    await world.advance(1_000);
    expect(await codeOf(world.runtime.sendMessage(agent, root.id, hello))).toBe('ACTIVATION_CLOSING');
    place.open();
    expect(await closing).toBe('ACTIVATION_TEARDOWN_FAILED');
    expect(world.isResident(root.id)).toBe(false);
  });
});
