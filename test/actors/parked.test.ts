/** S2.8: parked context, which wakes nobody, keeps an idle activation and its ancestors until it is claimed, removed or discarded. */
import { describe, expect, test } from 'vitest';
import { offerMessage } from '../../src/actors/mail.ts';
import { textOf } from '../../src/sessions/content.ts';
import { type MessageId, toSessionId } from '../../src/sessions/ids.ts';
import { gate } from '../support/gate.ts';
import { says, takesSteering, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'wake up' }] as const;

/** What a host does that lays context beside the conversation of a child. */
async function inject(world: World, id: string, text: string): Promise<MessageId> {
  const messageId = `context-${text}` as MessageId;
  await offerMessage(world.registry, world.resident(id), {
    ...{ messageId, lane: 'step', wakes: false },
    source: { kind: 'context', form: 'inject' },
    content: [{ type: 'text', text }],
  });
  return messageId;
}

/** A child below a child, idle with parked context; everything that could end has ended. */
async function parked() {
  const world = openWorld();
  const place = gate();
  world.driver.script('middle', [
    async ({ agent }) => void (await world.start(agent, { label: 'leaf', childId, delivery: 'caller' })),
  ]);
  world.driver.script('leaf', [says('first'), waitsAt(place)]);
  const root = await world.openRoot();
  const middle = await world.start(root.agent, { label: 'middle', childId: toSessionId('middle') });
  await place.reached;
  const messageId = await inject(world, childId, 'beside');
  place.open();
  await world.advance(1_000_000);
  return { world, root, middle, messageId };
}

describe('parked context (S2.8)', () => {
  test('it keeps the idle activation resident, and its ancestors with it, and starts no turn (S2.8)', async () => {
    const { world } = await parked();
    expect(world.isResident(childId)).toBe(true);
    expect(world.isResident('middle')).toBe(true);
    expect(world.driver.turnsOf('leaf')).toHaveLength(1);
    expect(world.live).toBe(2);
  });

  test('a waking delivery claims it, and the tree ends (S2.8)', async () => {
    const { world, middle } = await parked();
    await world.runtime.sendMessage(world.resident('middle').agent, childId, hello);
    await middle.result;
    const inputs = world.driver.turnsOf('leaf').map(({ input }) => input.map(({ content }) => textOf(content)));
    expect(inputs).toEqual([['go'], ['beside', 'wake up']]);
    expect(world.live).toBe(0);
  });

  test('a queue edit that removes it lets the tree end (S2.8, S3.8)', async () => {
    const { world, middle, messageId } = await parked();
    await world.runtime.updateQueue(childId, { kind: 'remove', messageId });
    await middle.result;
    expect(world.driver.turnsOf('leaf')).toHaveLength(1);
    expect((await world.logOf(childId, 'inbox/discarded')).map(({ data }) => data)).toEqual([
      { messageIds: [messageId], waking: 0, reason: 'removed' },
    ]);
  });

  test('a disposal discards it in the log (S2.8)', async () => {
    const { world, middle, messageId } = await parked();
    await middle.dispose();
    expect((await world.logOf(childId, 'inbox/discarded')).map(({ data }) => data)).toEqual([
      { messageIds: [messageId], waking: 0, reason: 'disposed' },
    ]);
    expect(world.live).toBe(0);
  });

  test('a drain leaves it in the log, where the next activation finds it (S2.8, S4.3)', async () => {
    const { world, root } = await parked();
    await world.runtime.drainChildren(root.agent, ['middle']);
    expect(await world.logOf(childId, 'inbox/discarded')).toEqual([]);
    world.driver.script('middle', [async ({ agent }) => void (await world.runtime.sendMessage(agent, childId, hello))]);
    await world.runtime.sendMessage(root.agent, 'middle', [{ type: 'text', text: 'go on' }]);
    const turn = await world.driver.turn('leaf', 2);
    expect(turn.input.map(({ content }) => textOf(content))).toEqual(['beside', 'wake up']);
  });

  test('it is claimed by the turn that runs, at its next step boundary (S2.8, S3.5)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script('worker', [waitsAt(place), takesSteering()]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await place.reached;
    await inject(world, childId, 'beside');
    place.open();
    await child.result;
    expect(world.driver.turnsOf('worker')[0]?.steering.map(({ content }) => textOf(content))).toEqual(['beside']);
    expect(world.driver.turnsOf('worker')).toHaveLength(1);
  });

  test('the next prompt of a person takes it along, in its place, without a turn of its own (S2.8)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    await root.inject('beside');
    await world.rest();
    expect(world.driver.turns).toEqual([]);
    await root.ask('question');
    expect(world.driver.turns.map(({ prompts }) => prompts)).toEqual([['Context from the host:\nbeside', 'question']]);
  });
});
