/** S3.2: where a message goes. */
import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/sessions/content.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { says, takesSteering, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'hello' }] as const;

describe('where a message goes (S3.2)', () => {
  test('to a running child: into the nearest step boundary of the same activation (S3.2)', async () => {
    const world = openWorld();
    const [before, after] = [gate(), gate()];
    world.driver.script('worker', [waitsAt(before), takesSteering(), says('heard'), waitsAt(after), takesSteering()]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await before.reached;
    const first = await world.runtime.sendMessage(root.agent, childId, hello);
    before.open();
    await after.reached;
    const second = await world.runtime.sendMessage(root.agent, childId, hello);
    after.open();
    await child.result;
    const [turn] = world.driver.turnsOf('worker');
    expect(turn?.steering.map(({ messageId }) => messageId)).toEqual([first, second]);
    expect(world.driver.turnsOf('worker')).toHaveLength(1);
  });

  test('to a waiting child: it wakes the same activation (S3.2)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script('worker', [async ({ agent }) => void (await world.start(agent, { label: 'leaf', delivery: 'caller' }))]);
    world.driver.script('leaf', [waitsAt(place)]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await place.reached;
    await world.rest();
    const messageId = await world.runtime.sendMessage(root.agent, childId, hello);
    const turn = await world.driver.turn('worker', 2);
    expect(turn.input.map(({ messageId: id }) => id)).toEqual([messageId]);
    place.open();
    await child.result;
    expect(world.events.of('subagent/start').filter(({ id }) => id === childId)).toHaveLength(1);
  });

  test('to an absent child: a new activation with all its history (S3.2)', async () => {
    const world = openWorld();
    world.driver.script('worker', [says('first answer')]);
    const root = await world.openRoot();
    await (await world.start(root.agent, { childId })).result;
    expect(world.isResident(childId)).toBe(false);
    await world.runtime.sendMessage(root.agent, childId, hello);
    const { history } = await world.driver.turn('worker', 2);
    expect(history.map(({ role, content }) => [role, textOf(content)])).toEqual([
      ['user', 'go'],
      ['assistant', 'first answer'],
      ['user', `Agent ${root.id} sent a message:\nhello`],
    ]);
  });

  test('to a child that is being made: behind its prompt, in the same activation (S3.2, I2)', async () => {
    const world = openWorld();
    const place = gate();
    const root = await world.openRoot();
    world.driver.onValidate = () => place.pass();
    const starting = world.start(root.agent, { childId });
    await place.reached;
    const sending = ['1', '2'].map((text) => world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text }]));
    place.open();
    const child = await starting;
    await Promise.all(sending);
    await child.result;
    expect(await world.inserted(childId)).toEqual(['go', '1', '2']);
    expect((await world.store.inner.head(childId))?.epoch).toBe(1);
  });

  test('to a child that cannot be made: the sender hears why, and nothing is left (S3.2)', async () => {
    const world = openWorld();
    const place = gate();
    const root = await world.openRoot();
    world.driver.onValidate = () => place.pass();
    const starting = codeOf(world.start(root.agent, { childId }));
    await place.reached;
    const sending = codeOf(world.runtime.sendMessage(root.agent, childId, hello));
    await world.rest();
    place.fail(new Error('no model'));
    expect([await starting, await sending]).toEqual(['UNSUPPORTED_CAPABILITY', 'UNSUPPORTED_CAPABILITY']);
    expect(await world.hasSession(childId)).toBe(false);
  });

  test('to the parent: into its turn, or it wakes it; to a host-run parent: to its host (S3.2)', async () => {
    const world = openWorld();
    const delivered: unknown[] = [];
    world.driver.otherwise(async ({ agent }) => {
      const parent = world.resident(agent.id).parent;
      if (parent !== undefined)
        await world.runtime.sendMessage(agent, parent.id, [{ type: 'text', text: `from ${agent.label}` }]);
    });
    const root = await world.openRoot();
    const host = await world.attachRoot({ deliver: (message) => void delivered.push(message) });
    await (await world.start(root.agent, { label: 'a', delivery: 'caller' })).result;
    await (await world.start(host.agent, { label: 'b', delivery: 'caller' })).result;
    await world.driver.turn('root');
    expect(await world.inserted(root.id)).toEqual(['from a']);
    expect(delivered).toMatchObject([{ source: { kind: 'agent-message' }, content: [{ text: 'from b' }] }]);
  });
});
