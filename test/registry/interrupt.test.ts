/** S4.1: an interrupt ends the turn, and nothing else. */
import { describe, expect, test } from 'vitest';
import { type SessionId, toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { type Gate, gate } from '../support/gate.ts';
import { scriptedLocalProvider } from '../support/scripted-provider.ts';
import { ignoresStopAt, says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const text = (words: string) => [{ type: 'text', text: words }] as const;

/** A child in its first turn, which only a stop ends, at the gate if there is one. */
async function running(place?: Gate) {
  const world = openWorld();
  world.driver.script('worker', [place === undefined ? waitsAt() : ignoresStopAt(place)]);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { childId });
  await world.driver.turn('worker');
  const interrupt = () => world.runtime.interrupt(childId, { kind: 'user', parentSessionId: root.id });
  const send = (words: string) => world.runtime.sendMessage(root.agent, childId, text(words));
  const queue = (requestId: string) =>
    world.runtime.prompt({ ...{ parentId: root.id, childId, delivery: 'queue', requestId }, content: text(requestId) });
  return { world, root, child, interrupt, send, queue };
}

/** The same, but its driver takes its time to stop. */
async function winding() {
  const place = gate();
  return { ...(await running(place)), place };
}

/** Messages of each turn of the child, by their text. */
async function turns(world: World, id: SessionId = childId): Promise<readonly (readonly string[])[]> {
  const inserted = new Map((await world.logOf(id, 'inbox/inserted')).map(({ data }) => [data.messageId, data.content[0]]));
  const claims = await world.logOf(id, 'inbox/claimed');
  return claims.map(({ data }) => data.messageIds.map((messageId) => (inserted.get(messageId) as { text: string }).text));
}

describe('an interrupt of a running child (S4.1)', () => {
  test('it stops the turn before it returns; the claimed input is not queued again, and what waits is held until a message wakes it (S4.1, P12)', async () => {
    const { world, child, interrupt, send, queue } = await running();
    await queue('queued-1');
    await queue('queued-2');
    interrupt();
    expect(world.driver.turnsOf('worker')[0]?.turn.signal.aborted).toBe(true);
    await world.advance(1_000_000);
    expect(world.isResident(childId)).toBe(true);
    expect(await turns(world)).toEqual([['go']]);
    await send('wake');
    await child.result;
    expect(await turns(world)).toEqual([['go'], ['queued-1', 'wake'], ['queued-2']]);
  });

  test('without anything that waits the child settles as aborted, and comes back with its history (S4.1, P12)', async () => {
    const { world, root, child, interrupt, send } = await running();
    interrupt();
    expect((await child.result).stopReason).toBe('aborted');
    await world.gone(childId);
    await send('go on');
    await world.rest();
    const [, second] = world.driver.turnsOf('worker');
    expect(second?.prompts).toEqual(['go', `Agent ${root.id} sent a message:\ngo on`]);
  });

  test('it stops no child of the target, and the notice of one does not wake the target while it is held (S4.1, P10)', async () => {
    const { world, interrupt, send, queue } = await running();
    const place = gate();
    world.driver.script('leaf', [waitsAt(place), says('found it')]);
    const leaf = await world.start(world.resident(childId).agent, { label: 'leaf' });
    await place.reached;
    await queue('queued');
    interrupt();
    await world.rest();
    expect(world.driver.turnsOf('leaf')[0]?.turn.signal.aborted).toBe(false);
    place.open();
    expect((await leaf.result).stopReason).toBe('completed');
    await world.advance(1_000_000);
    expect(world.driver.turnsOf('worker'), 'no turn for the notice').toHaveLength(1);
    expect(world.resident(childId).inbox.waiting()).toHaveLength(2);
    await send('wake');
    await world.gone(childId);
    const claimed = (await turns(world)).flat();
    expect(claimed.filter((words) => words.startsWith('Final text'))).toHaveLength(1);
    expect(claimed).toContain('queued');
    expect(claimed).toContain('wake');
  });

  test('a message that is accepted while the turn winds down opens the next one at once, behind what waited before (S4.1)', async () => {
    const { world, child, interrupt, send, queue, place } = await winding();
    await queue('queued');
    interrupt();
    await send('late');
    place.open();
    await child.result;
    expect(await turns(world)).toEqual([['go'], ['queued', 'late']]);
    expect((await world.store.inner.head(childId))?.epoch).toBe(1);
  });

  test('a second one while the turn winds down holds again what came in between (S4.1)', async () => {
    const { world, child, interrupt, send, place } = await winding();
    interrupt();
    await send('between');
    interrupt();
    place.open();
    await world.advance(1_000_000);
    expect(await turns(world)).toEqual([['go']]);
    await send('wake');
    await child.result;
    expect(await turns(world)).toEqual([['go'], ['between', 'wake']]);
  });

  test('one that comes when nothing runs changes nothing: before it, after it, twice, and for a child that has gone (S4.1)', async () => {
    const { world, child, interrupt } = await running();
    interrupt();
    interrupt();
    await child.result;
    await world.gone(childId);
    const { writes } = world.store;
    expect(await codeOf(() => interrupt())).toBe('done');
    expect(world.store.writes).toBe(writes);
    expect(world.events.lives()).toEqual(['start worker', 'end worker aborted']);
  });

  test.each(['activation/ended', 'notice/delivered'] as const)(
    'while %s is written it leaves the outcome as it is (S4.1, P05)',
    async (event) => {
      const world = openWorld();
      const root = await world.openRoot();
      world.store.inject({ at: { method: 'append', session: childId, event }, fault: 'hang' });
      const child = await world.start(root.agent, { childId });
      await world.store.reached({ method: 'append', session: childId, event });
      world.runtime.interrupt(childId, { kind: 'ancestor', agent: root.agent });
      world.store.release();
      expect((await child.result).stopReason).toBe('completed');
      expect(world.events.lives()).toEqual(['start worker', 'end worker completed']);
    },
  );
});

describe('an interrupt of a child that is on its way in is kept (S4.1, P11)', () => {
  test('while it is made: it is published, and no turn runs until a message wakes it (S4.1)', async () => {
    const world = openWorld();
    const place = gate();
    world.runtime.registerProvider(scriptedLocalProvider(async () => place.pass().then(() => ({})), { name: 'slow' }));
    const root = await world.openRoot();
    const starting = world.start(root.agent, { childId, provider: 'slow' });
    await place.reached;
    world.runtime.interrupt(childId, { kind: 'ancestor', agent: root.agent });
    place.open();
    const child = await starting;
    await world.advance(1_000_000);
    expect(world.driver.turnsOf('worker')).toEqual([]);
    expect((await world.runtime.listAgents(root.agent))[0]).toMatchObject({ id: childId, activity: 'inactive' });
    await world.runtime.sendMessage(root.agent, childId, text('wake'));
    expect((await child.result).stopReason).toBe('completed');
    expect((await turns(world)).flat()).toEqual(['go', 'wake']);
  });

  test('while it is brought back: the message that does so came after it, and wakes it (S4.1)', async () => {
    const { world, root, child, interrupt, send } = await running();
    interrupt();
    await child.result;
    await world.gone(childId);
    world.store.inject({ at: { method: 'claim', session: childId }, fault: 'hang' });
    const sending = send('again');
    await world.store.reached({ method: 'claim', session: childId });
    world.runtime.interrupt(childId, { kind: 'ancestor', agent: root.agent });
    world.store.release();
    await sending;
    await world.gone(childId);
    expect((await turns(world)).flat()).toEqual(['go', 'again']);
  });
});
