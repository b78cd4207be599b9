/** S3.9: the notice for a parent that is leaving or has left. */
import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/sessions/content.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import type { InboxMessage } from '../../src/sessions/message.ts';
import { gate } from '../support/gate.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'again' }] as const;

const noticesOf = async (world: World, id: string) =>
  (await world.logOf(id, 'inbox/inserted')).map(({ data }) => data).filter(({ source }) => source.kind === 'subagent-settled');

describe('a parent that is being torn down (S3.9)', () => {
  test('it gets the notice without waking, and claims it with its next turn after it is reopened (S3.9, design ruling 6)', async () => {
    const world = openWorld();
    world.driver.script('worker', [says('half'), waitsAt()]);
    const root = await world.openRoot();
    await world.start(root.agent, { childId });
    await world.driver.turn('worker');
    await root.close();
    const [notice] = await noticesOf(world, root.id);
    expect(notice).toMatchObject({ messageId: `${childId}:1`, wakes: false });
    expect(world.driver.turnsOf('root')).toEqual([]);
    expect(await world.store.inner.pending(), 'it is nothing that recovery would wake anybody for').toEqual([]);
    const reopened = await world.openRoot({ id: root.id });
    await world.rest();
    expect(world.driver.turnsOf('root')).toEqual([]);
    await reopened.ask('what happened?');
    expect(world.driver.turnsOf('root').map(({ input }) => input.map(({ content }) => textOf(content)))).toEqual([
      ['Partial text:\nhalf', 'what happened?'],
    ]);
    expect(await world.logOf(root.id, 'inbox/discarded')).toEqual([]);
  });

  test('a child below it gets the notices of its own children the same way (S3.9)', async () => {
    const world = openWorld();
    world.driver.script('middle', [
      async ({ agent }) => void (await world.start(agent, { label: 'leaf', childId: toSessionId('leaf') })),
      waitsAt(),
    ]);
    world.driver.script('leaf', [waitsAt()]);
    const root = await world.openRoot();
    const middle = await world.start(root.agent, { label: 'middle', childId });
    await world.driver.turn('leaf');
    await world.rest();
    await middle.dispose();
    expect(await noticesOf(world, childId)).toMatchObject([{ messageId: 'leaf:1', wakes: false }]);
    expect(world.driver.turnsOf('middle')).toHaveLength(1);
    await world.runtime.sendMessage(root.agent, childId, hello);
    const turn = await world.driver.turn('middle', 2);
    expect(turn.input.map(({ source }) => source.kind)).toEqual(['subagent-settled', 'agent-message']);
  });

  test('a host-run parent that leaves is told that the notice wakes nobody (S3.9)', async () => {
    const world = openWorld();
    const delivered: InboxMessage[] = [];
    const place = gate();
    world.driver.script('worker', [waitsAt(place)], [waitsAt()]);
    const host = await world.attachRoot({ deliver: (message) => void delivered.push(message) });
    const first = await world.start(host.agent, { childId });
    await place.reached;
    place.open();
    await first.result;
    await world.start(host.agent);
    await world.driver.turn('worker', 2);
    await host.close();
    expect(delivered.map(({ wakes, source }) => [wakes, source.kind])).toEqual([
      [true, 'subagent-settled'],
      [false, 'subagent-settled'],
    ]);
  });

  test('one whose time to end has passed waits for the last steps of its child, and hears of it (S2.4, S3.9, R6)', async () => {
    const world = openWorld({ limits: { disposeMs: 100_000, drainMs: 1_000 } });
    const place = gate();
    world.driver.onRelease = (agent) => (agent.label === 'worker' ? place.pass() : undefined);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await place.reached;
    const closing = root.close().catch(() => undefined);
    await world.advance(1_000);
    expect(world.isResident(root.id)).toBe(true);
    place.open();
    expect((await child.result).stopReason).toBe('completed');
    await closing;
    expect(world.isResident(root.id)).toBe(false);
    expect((await noticesOf(world, root.id)).map(({ messageId }) => messageId)).toEqual([`${childId}:1`]);
  });
});
