/** S2.7, E-1, P13: a message around the end of an activation, at every moment: it wins, or it waits and comes to a new activation. */
import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/sessions/content.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { type Gate, gate } from '../support/gate.ts';
import { says, submits, takesSteering, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'follow-up' }] as const;
const relayed = (rootId: string) => `Agent ${rootId} sent a message:\nfollow-up`;

interface Held {
  readonly reached: Promise<unknown>;
  open(): void;
}

const held = ({ store }: World, event: 'activation/ended' | 'notice/delivered' | 'turn/ended'): Held => {
  const at = { method: 'append', session: childId, event } as const;
  store.inject({ at, fault: 'hang' });
  return { reached: store.reached(at), open: () => store.release() };
};

const once = (place: Gate) => () => (place.isReached ? undefined : place.pass());

/** Where the child stands when the message comes, and whether this activation still takes it. */
const moments: readonly (readonly [name: string, hold: (world: World) => Held, wins: boolean])[] = [
  [
    'before the final text',
    (world) => {
      const place = gate();
      world.driver.script('worker', [async () => place.pass(), says('final'), takesSteering(), says('after steering')]);
      return place;
    },
    true,
  ],
  [
    'between the final text and the end of the turn',
    (world) => {
      const place = gate();
      world.driver.script('worker', [says('final'), async () => place.pass()]);
      return place;
    },
    true,
  ],
  ['while the end of the turn is written', (world) => held(world, 'turn/ended'), true],
  ['while the seal is written', (world) => held(world, 'activation/ended'), true],
  [
    'while the driver lets go',
    (world) => {
      const place = gate();
      world.driver.onRelease = (agent) => (agent.label === 'worker' ? once(place)() : undefined);
      return place;
    },
    false,
  ],
  ['while the parent is told', (world) => held(world, 'notice/delivered'), false],
];

describe.each(moments)('a message that comes %s', (_, hold, wins) => {
  test(`it is accepted and shown to the model once, ${wins ? 'in this activation' : 'in a new one'}, and its end is told again if it is another (S2.7, E-1, P13)`, async () => {
    const world = openWorld();
    const place = hold(world);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await place.reached;
    const sending = world.runtime.sendMessage(root.agent, childId, hello);
    await world.rest();
    place.open();
    const messageId = await sending;
    await child.result;
    await world.gone(childId);
    await world.rest();

    const inserted = await world.logOf(childId, 'inbox/inserted');
    expect(inserted.filter(({ data }) => data.messageId === messageId)).toHaveLength(1);
    const claims = (await world.logOf(childId, 'inbox/claimed')).flatMap(({ data }) => data.messageIds);
    expect(
      claims.filter((id) => id === messageId),
      'leaves the inbox once',
    ).toHaveLength(1);
    expect(await world.logOf(childId, 'inbox/discarded')).toEqual([]);
    const { transcript } = await world.runtime.readSession(childId);
    const shown = transcript.filter(({ content }) => textOf(content) === relayed(root.id));
    expect(shown, 'shown to the model once').toHaveLength(1);

    const lives = world.events.lives(childId);
    expect(lives).toHaveLength(wins ? 2 : 4);
    const notices = (await world.logOf(root.id, 'inbox/inserted')).filter(({ data }) => data.source.kind === 'subagent-settled');
    expect(notices.map(({ data }) => data.messageId)).toEqual(wins ? [`${childId}:1`] : [`${childId}:1`, `${childId}:2`]);
    expect((await world.store.inner.head(childId))?.epoch).toBe(wins ? 1 : 2);
    expect(world.live).toBe(0);
  });
});

test('a message at any number of microtasks after the start is never lost and never doubled (S2.7, E-1)', async () => {
  for (let ticks = 0; ticks < 150; ticks++) {
    const world = openWorld();
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId, delivery: 'caller' });
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    const code = await codeOf(world.runtime.sendMessage(root.agent, childId, hello));
    expect(code).toBe('done');
    await child.result;
    await world.gone(childId);
    const events = await world.log(childId);
    const ids = events.flatMap((event) => (event.type === 'inbox/inserted' ? [event.data.messageId] : []));
    const claimed = events.flatMap((event) => (event.type === 'inbox/claimed' ? event.data.messageIds : []));
    expect(claimed, `tick ${ticks}`).toEqual(ids);
    expect(ids).toHaveLength(2);
    await world.close();
  }
});

describe('a child attached around the end of its parent’s activation (S2.3, S2.7)', () => {
  test('while the seal is written it keeps the parent, which ends after it (S2.7)', async () => {
    const world = openWorld();
    const place = held(world, 'activation/ended');
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await place.reached;
    const { agent } = world.resident(childId);
    const starting = world.start(agent, { label: 'leaf' });
    await world.rest();
    place.open();
    const leaf = await starting;
    await Promise.all([child.result, leaf.result]);
    expect(world.events.lives()).toEqual(['start worker', 'start leaf', 'end leaf completed', 'end worker completed']);
    expect(world.driver.turnsOf('worker')).toHaveLength(2); // the leaf's notice woke it
    expect(await world.inserted(root.id)).toHaveLength(1);
  });

  test('after the seal it is refused (S2.7)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.onRelease = (agent) => (agent.label === 'worker' ? place.pass() : undefined);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await place.reached;
    expect(await codeOf(world.start(world.resident(childId).agent, { label: 'leaf' }))).toBe('DRAINING');
    place.open();
    await child.result;
    expect(await world.runtime.listChildren(childId)).toEqual([]);
  });
});

test('an activation whose seal was overtaken keeps its words, for caller, parent and reader alike (S5.1, S2.7)', async () => {
  const world = openWorld();
  const place = held(world, 'activation/ended');
  world.driver.script('worker', [says('the words')], [says('')]);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { childId });
  await place.reached;
  const sending = world.runtime.sendMessage(root.agent, childId, hello);
  await world.rest();
  place.open();
  await sending;
  expect((await child.result).output).toEqual([{ type: 'text', text: 'the words' }]);
  expect((await world.runtime.readResult(childId)).output).toEqual([{ type: 'text', text: 'the words' }]);
  expect(await world.inserted(root.id)).toEqual(['Final text:\nthe words']);
});

test('a sender that waits for a release gives up when its bound has passed, and nothing is delivered (S2.7, P24)', async () => {
  const world = openWorld();
  const outputSchema = { type: 'object' } as const;
  world.driver.script('worker', [
    async ({ agent }) => void (await world.start(agent, { label: 'leaf', delivery: 'caller' })),
    submits({}),
  ]);
  world.driver.script('leaf', [waitsAt()]);
  const root = await world.openRoot();
  await world.start(root.agent, { childId, outputSchema });
  await world.driver.turn('leaf');
  await world.rest();
  const sending = codeOf(world.runtime.sendMessage(root.agent, childId, hello));
  await world.advance(world.registry.limits.drainMs);
  expect(await sending).toBe('ACTIVATION_CLOSING');
  expect(await world.inserted(childId)).toEqual(['go']);
});

test('a sender that waits for a release gives up with its signal, and nothing is delivered (S3.3, P24)', async () => {
  const world = openWorld();
  const place = gate();
  world.driver.onRelease = (agent) => (agent.label === 'worker' ? place.pass() : undefined);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { childId });
  await place.reached;
  const abort = new AbortController();
  const sending = codeOf(world.runtime.sendMessage(root.agent, childId, hello, { signal: abort.signal }));
  await world.rest();
  abort.abort();
  expect(await sending).toBe('CANCELLED');
  place.open();
  await child.result;
  await world.rest();
  expect(await world.inserted(childId)).toEqual(['go']);
});
