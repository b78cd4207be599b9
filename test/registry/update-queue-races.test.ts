/** S3.8, P13: a queue change beside the claim of the same message, at every await, and beside a store that refuses it. */
import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import type { SubagentQueueChange } from '../../src/registry/update-queue.ts';
import { textOf } from '../../src/sessions/content.ts';
import type { SessionEventType } from '../../src/sessions/event.ts';
import { type MessageId, toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { says, takesSteering, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const text = (words: string) => [{ type: 'text', text: words }] as const;
const idOf = (requestId: string) => `request:${requestId}` as MessageId;
const full = new SubagentError('STORE_FULL', 'a test says that the disk is full');
const kinds = ['edit', 'remove', 'steer'] as const;
const eventOf = { edit: 'inbox/edited', remove: 'inbox/discarded', steer: 'inbox/promoted' } as const;

/** A child in its first turn, before a step boundary, with `a`, `b` and `c` queued. */
async function queued(ids: readonly string[] = ['a', 'b', 'c']) {
  const world = openWorld();
  const place = gate();
  world.driver.script('worker', [waitsAt(place), takesSteering(), says('done')]);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { childId });
  await place.reached;
  for (const requestId of ids)
    await world.runtime.prompt({ parentId: root.id, childId, delivery: 'queue', requestId, content: text(requestId) });
  const change = (kind: SubagentQueueChange['kind'], id: string) =>
    world.runtime.updateQueue(childId, { kind, messageId: idOf(id), content: text(`new ${id}`) } as SubagentQueueChange);
  return { world, root, child, place, change };
}

const turns = ({ driver }: World) =>
  driver.turnsOf('worker').map(({ input, steering }) => [...input, ...steering].map(({ content }) => textOf(content)));
const waiting = (world: World) =>
  world
    .resident(childId)
    .inbox.waiting()
    .map(({ content }) => textOf(content));

async function fate(world: World, id: string): Promise<readonly SessionEventType[]> {
  const events = await world.log(childId);
  return events.flatMap((event) =>
    (event.type === 'inbox/claimed' || event.type === 'inbox/discarded') && event.data.messageIds.includes(idOf(id))
      ? [event.type]
      : [],
  );
}

test.each(kinds)(
  '%s at any number of microtasks after the turn goes on: the message leaves once, as the answer says, and no turn is empty (S3.8, P13)',
  async (kind) => {
    const outcomes = new Set<string>();
    for (let ticks = 0; ticks < 60; ticks++) {
      const { world, child, place, change } = await queued(['a']);
      place.open();
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      const code = await codeOf(change(kind, 'a'));
      outcomes.add(code);
      await child.result;
      await world.gone(childId);
      const left = await fate(world, 'a');
      expect(left, `tick ${ticks}: ${code}`).toEqual([
        code === 'done' && kind === 'remove' ? 'inbox/discarded' : 'inbox/claimed',
      ]);
      const seen = turns(world);
      expect(
        seen.every((turn) => turn.length > 0),
        `tick ${ticks}: a turn without input: ${JSON.stringify(seen)}`,
      ).toBe(true);
      const words = code === 'done' && kind === 'edit' ? 'new a' : 'a';
      expect(seen.flat().filter((other) => other.endsWith('a'))).toEqual(left[0] === 'inbox/claimed' ? [words] : []);
      await world.close();
    }
    expect(outcomes, 'both sides of the race were seen').toContain('done');
    expect(outcomes.size).toBeGreaterThan(1);
  },
);

test.each(['turn/ended', 'inbox/discarded'] as const)(
  'a removal while %s is written opens no turn for what is no longer there (S3.8)',
  async (event) => {
    const { world, child, place, change } = await queued(['a']);
    const at = { method: 'append', session: childId, event } as const;
    world.store.inject({ at, fault: 'hang' });
    if (event === 'turn/ended') {
      place.open();
      await world.store.reached(at);
    }
    const removing = change('remove', 'a');
    await world.store.reached(at);
    place.open();
    await world.rest();
    expect(world.isResident(childId), 'it does not settle before the outcome is known').toBe(true);
    world.store.release();
    await removing;
    await child.result;
    expect(turns(world)).toEqual([['go']]);
    expect(await fate(world, 'a')).toEqual(['inbox/discarded']);
  },
);

describe('a change that the log refuses (S3.8)', () => {
  test.each(kinds)('%s is undone: same words, same lane, same place, same room (S3.8)', async (kind) => {
    const { world, child, place, change } = await queued();
    const before = world.resident(childId);
    const room = [before.inboxMessages, before.inboxBytes];
    world.store.inject({ at: { method: 'append', event: eventOf[kind] }, fault: 'reject', error: full });
    expect(await codeOf(change(kind, 'b'))).toBe('STORE_FULL');
    expect(waiting(world)).toEqual(['a', 'b', 'c']);
    expect([before.inboxMessages, before.inboxBytes]).toEqual(room);
    place.open();
    await child.result;
    expect(turns(world)).toEqual([['go'], ['a'], ['b'], ['c']]);
    expect(await fate(world, 'b')).toEqual(['inbox/claimed']);
  });

  test('a removal that is refused after the turn has ended lets the message open the next one (S3.8, P13)', async () => {
    const { world, child, place, change } = await queued(['a']);
    const at = { method: 'append', session: childId, event: 'turn/ended' } as const;
    world.store.inject({ at, fault: 'hang' });
    world.store.inject({ at: { method: 'append', event: 'inbox/discarded' }, fault: 'reject', error: full });
    place.open();
    await world.store.reached(at);
    const removing = codeOf(change('remove', 'a'));
    world.store.release();
    expect(await removing).toBe('STORE_FULL');
    await child.result;
    expect(turns(world)).toEqual([['go'], ['a']]);
  });

  test('a removal that is refused while the child is held leaves it held, with the message (S3.8, S4.1)', async () => {
    const { world, root, child, change } = await queued(['a']);
    world.runtime.interrupt(childId, { kind: 'ancestor', agent: root.agent });
    await world.rest();
    world.store.inject({ at: { method: 'append', event: 'inbox/discarded' }, fault: 'reject', error: full });
    expect(await codeOf(change('remove', 'a'))).toBe('STORE_FULL');
    await world.advance(1_000_000);
    expect(waiting(world)).toEqual(['a']);
    await world.runtime.sendMessage(root.agent, childId, text('wake'));
    await child.result;
    expect(await fate(world, 'a')).toEqual(['inbox/claimed']);
  });

  test('a change whose outcome is unknown ends the activation, and it goes on with what the log says (S3.8, S10.1)', async () => {
    for (const kind of kinds) {
      const { world, root, child, change } = await queued(['a']);
      world.expectFaults('turn'); // its end could not be written
      world.store.inject({ at: { method: 'append', event: eventOf[kind] }, fault: 'unknown' });
      expect(await codeOf(change(kind, 'a'))).toBe('OUTCOME_UNKNOWN');
      expect(await codeOf(child.result)).toBe('OUTCOME_UNKNOWN');
      await root.whenQuiet();
      await world.gone(childId);
      expect(await fate(world, 'a')).toEqual([kind === 'remove' ? 'inbox/discarded' : 'inbox/claimed']);
      expect(turns(world).at(-1)).toEqual(kind === 'edit' ? expect.arrayContaining(['new a']) : expect.anything());
    }
  });
});

test('a disposal while a removal is written drops the rest and ends in order (S3.8, S1.5)', async () => {
  const { world, child, change } = await queued();
  const at = { method: 'append', session: childId, event: 'inbox/discarded' } as const;
  world.store.inject({ at, fault: 'hang' });
  const removing = change('remove', 'a');
  await world.store.reached(at);
  const disposing = child.dispose();
  await world.rest();
  world.store.release();
  await Promise.all([removing, disposing]);
  for (const id of ['a', 'b', 'c']) expect(await fate(world, id), id).toEqual(['inbox/discarded']);
});
