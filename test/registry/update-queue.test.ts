/** S3.8: a person changes what waits for a child. */
import { describe, expect, test } from 'vitest';
import { offerMessage } from '../../src/actors/mail.ts';
import type { SubagentQueueChange } from '../../src/registry/update-queue.ts';
import { type ContentBlock, textOf } from '../../src/sessions/content.ts';
import { type MessageId, toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { ignoresStopAt, says, takesSteering, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World, type WorldSetup } from '../support/world.ts';

const childId = toSessionId('child-1');
const text = (words: string) => [{ type: 'text', text: words }] as const;
const idOf = (requestId: string) => `request:${requestId}` as MessageId;
const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;

/** A child in its first turn, before a step boundary, with `a`, `b` and `c` queued and `s` steered, and parked context `p`. */
async function queued(setup: WorldSetup = {}) {
  const world = openWorld(setup);
  const place = gate();
  world.driver.script('worker', [waitsAt(place), takesSteering(), says('done')]);
  const root = await world.openRoot({ id: 'root' });
  const child = await world.start(root.agent, { childId });
  await place.reached;
  const prompt = (requestId: string, delivery: 'queue' | 'steer' = 'queue') =>
    world.runtime.prompt({ parentId: root.id, childId, delivery, requestId, content: text(requestId) });
  for (const id of ['a', 'b', 'c']) await prompt(id);
  await prompt('s', 'steer');
  await offerMessage(world.registry, world.resident(childId), {
    ...{ messageId: idOf('p'), lane: 'step', wakes: false, content: text('p') },
    source: { kind: 'context', form: 'inject' },
  });
  const change = (kind: SubagentQueueChange['kind'], id: string, content: readonly ContentBlock[] = text(`new ${id}`)) =>
    world.runtime.updateQueue(childId, { kind, messageId: idOf(id), content } as SubagentQueueChange);
  return { world, root, child, place, prompt, change };
}

/** The texts that each turn of the child was given: at its start, and at its boundary. */
const turns = ({ driver }: World) =>
  driver.turnsOf('worker').map(({ input, steering }) => [...input, ...steering].map(({ content }) => textOf(content)));

/** What waits, by text, in the memory of the child. */
const waiting = (world: World) =>
  world
    .resident(childId)
    .inbox.waiting()
    .map(({ content }) => textOf(content));

async function expectEachLeftOnce(world: World): Promise<void> {
  const events = await world.log(childId);
  const came = events.flatMap((event) => (event.type === 'inbox/inserted' ? [event.data.messageId] : []));
  const left = events.flatMap((event) =>
    event.type === 'inbox/claimed' || event.type === 'inbox/discarded' ? event.data.messageIds : [],
  );
  expect(left.toSorted()).toEqual(came.toSorted());
}

describe('edit (S3.8)', () => {
  test('the message keeps its id and its place, in both lanes and parked; the model and the log have the new words (S3.8)', async () => {
    const { world, child, place, change } = await queued();
    for (const id of ['b', 's', 'p']) await change('edit', id);
    expect(waiting(world)).toEqual(['a', 'new b', 'c', 'new s', 'new p']);
    place.open();
    await child.result;
    expect(turns(world)).toEqual([['go', 'new s', 'new p'], ['a'], ['new b'], ['c']]);
    const { transcript } = await world.runtime.readSession(childId);
    expect(transcript.filter(({ role }) => role === 'user').map(({ content }) => textOf(content))).toContain('new b');
    await expectEachLeftOnce(world);
  });

  test('the new words are what a later activation finds (S3.8, S10.1)', async () => {
    const { world, root, change } = await queued();
    await change('edit', 'a');
    await world.runtime.drainChildren(root.agent, [childId]);
    await world.runtime.sendMessage(root.agent, childId, text('back'));
    await world.gone(childId);
    expect(turns(world).flat()).toContain('new a');
    expect(turns(world).flat()).not.toContain('a');
  });

  test('content that is none, an image for a blind model, and more than the inbox holds are refused, and the old words stay (S3.8)', async () => {
    const { world, change } = await queued({ limits: { inboxBytes: 20, messageBytes: 18 } });
    expect(await codeOf(change('edit', 'a', [] as never))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(change('edit', 'a', [image] as never))).toBe('UNSUPPORTED_CAPABILITY');
    expect(await codeOf(change('edit', 'a', text('x'.repeat(19))))).toBe('MESSAGE_TOO_LARGE');
    expect(await codeOf(change('edit', 'a', text('x'.repeat(17))))).toBe('INBOX_FULL');
    expect(await codeOf(change('edit', 'a', text('x'.repeat(16))))).toBe('done');
    expect(waiting(world)).toEqual(['x'.repeat(16), 'b', 'c', 's', 'p']);
  });
});

describe('remove (S3.8)', () => {
  test('the message is discarded in the log and no turn sees it, in both lanes and parked; its room is free again (S3.8, S3.5)', async () => {
    const { world, child, place, change, prompt } = await queued({ limits: { inboxMessages: 5 } });
    expect(await codeOf(prompt('too many'))).toBe('INBOX_FULL');
    for (const id of ['b', 's', 'p']) await change('remove', id);
    await prompt('d');
    place.open();
    await child.result;
    expect(turns(world)).toEqual([['go'], ['a'], ['c'], ['d']]);
    const discarded = await world.logOf(childId, 'inbox/discarded');
    expect(discarded.map(({ data }) => [data.messageIds, data.waking, data.reason])).toEqual([
      [[idOf('b')], 1, 'removed'],
      [[idOf('s')], 1, 'removed'],
      [[idOf('p')], 0, 'removed'],
    ]);
    expect(world.events.of('agent/inbox/discarded').flatMap(({ messageIds }) => messageIds)).toHaveLength(3);
    await expectEachLeftOnce(world);
  });

  test('removing the last that waits lets a held child settle (S3.8, S4.1)', async () => {
    const { world, root, child, change } = await queued();
    world.runtime.interrupt(childId, { kind: 'ancestor', agent: root.agent });
    await world.rest();
    for (const id of ['a', 'b', 'c', 's']) await change('remove', id);
    await world.rest();
    expect(world.isResident(childId), 'parked context keeps it').toBe(true);
    await change('remove', 'p');
    expect((await child.result).stopReason).toBe('aborted');
    expect(turns(world)).toEqual([['go']]);
  });
});

describe('promote (S3.8)', () => {
  test('a queued message is taken at the next step of the running turn, behind what is there already (S3.8)', async () => {
    const { world, child, place, change } = await queued();
    await change('steer', 'b');
    place.open();
    await child.result;
    expect(turns(world)).toEqual([['go', 's', 'p', 'b'], ['a'], ['c']]);
    await expectEachLeftOnce(world);
  });

  test('it needs a turn that runs and is not being stopped, and a message that is queued (S3.8)', async () => {
    const { world, root, change } = await queued();
    expect(await codeOf(change('steer', 's'))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(change('steer', 'p'))).toBe('INVALID_ARGUMENT');
    world.runtime.interrupt(childId, { kind: 'ancestor', agent: root.agent });
    expect(await codeOf(change('steer', 'a')), 'while it winds down').toBe('INVALID_ARGUMENT');
    await world.rest();
    expect(await codeOf(change('steer', 'a')), 'while it is held').toBe('INVALID_ARGUMENT');
    expect(waiting(world)).toEqual(['a', 'b', 'c', 's', 'p']);
  });

  test('a turn that is cancelled before it took the message leaves it to open a turn, once, live or after a restart (S3.8)', async () => {
    for (const isDrained of [false, true]) {
      const { world, root, change } = await queued();
      await change('steer', 'b');
      if (isDrained) await world.runtime.drainChildren(root.agent, [childId]);
      else world.runtime.interrupt(childId, { kind: 'ancestor', agent: root.agent });
      await world.rest();
      await world.runtime.sendMessage(root.agent, childId, text('back'));
      await world.gone(childId);
      const [, ...later] = turns(world);
      expect(later.flat().filter((words) => words === 'b')).toHaveLength(1);
      await expectEachLeftOnce(world);
      await world.close();
    }
  });

  test('a turn that ends by itself before it took the message leaves it to the next (S3.8)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script('worker', [ignoresStopAt(place)]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await place.reached;
    await world.runtime.prompt({ parentId: root.id, childId, delivery: 'queue', requestId: 'a', content: text('a') });
    await world.runtime.updateQueue(childId, { kind: 'steer', messageId: idOf('a') });
    place.open();
    await child.result;
    expect(turns(world)).toEqual([['go'], ['a']]);
  });
});

describe('refusals (S3.8)', () => {
  test('only a live continuable child has a queue: not a settled, external, unknown or ending one, nor a top-level agent or one on its way in', async () => {
    const { world, root, child, place } = await queued();
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    const { childId: externalId } = await world.start(root.agent, { provider: 'remote' });
    const tries: (readonly [string, string])[] = [
      ['external', externalId],
      ['unknown', 'nobody'],
      ['top-level', root.id],
    ];
    for (const kind of ['edit', 'remove', 'steer'] as const) {
      const changing = (id: string) =>
        codeOf(world.runtime.updateQueue(id, { kind, messageId: idOf('a'), content: text('x') } as SubagentQueueChange));
      for (const [what, id] of tries) expect(await changing(id), `${kind} on ${what}`).toBe('NOT_RESUMABLE');
    }
    const disposing = child.dispose();
    const late = codeOf(world.runtime.updateQueue(childId, { kind: 'remove', messageId: idOf('a') }));
    expect(await late, 'ending').toBe('NOT_RESUMABLE');
    place.open();
    await disposing;
    expect(await codeOf(world.runtime.updateQueue(childId, { kind: 'remove', messageId: idOf('a') })), 'settled').toBe(
      'NOT_RESUMABLE',
    );
    world.store.inject({ at: { method: 'claim', session: childId }, fault: 'hang' });
    const sending = world.runtime.sendMessage(root.agent, childId, text('back'));
    await world.store.reached({ method: 'claim', session: childId });
    expect(await codeOf(world.runtime.updateQueue(childId, { kind: 'remove', messageId: idOf('a') })), 'on its way in').toBe(
      'NOT_RESUMABLE',
    );
    world.store.release();
    await sending;
  });

  test('what was claimed, removed or never there is not found, nor is the runtime’s own word (S3.8, P37)', async () => {
    const { world, place, change } = await queued();
    await change('remove', 'a');
    expect(await codeOf(change('remove', 'a'))).toBe('MESSAGE_NOT_FOUND');
    expect(await codeOf(change('edit', 'never'))).toBe('MESSAGE_NOT_FOUND');
    const leaf = await world.start(world.resident(childId).agent, { label: 'leaf' });
    await leaf.result;
    const notice = world
      .resident(childId)
      .inbox.waiting()
      .find(({ source }) => source.kind === 'subagent-settled');
    const messageId = notice?.messageId as MessageId;
    expect(messageId).toBeDefined();
    for (const kind of ['edit', 'remove'] as const) {
      const tried = world.runtime.updateQueue(childId, { kind, messageId, content: text('forged') } as SubagentQueueChange);
      expect(await codeOf(tried)).toBe('MESSAGE_NOT_FOUND');
    }
    place.open();
    await world.gone(childId);
    const claimed = (await world.logOf(childId, 'inbox/claimed')).flatMap(({ data }) => data.messageIds);
    expect(claimed).toContain(messageId);
  });

  test('a change of no known kind is refused (S3.8)', async () => {
    const { change } = await queued();
    expect(await codeOf(change('swap' as never, 'a'))).toBe('INVALID_ARGUMENT');
    const { world } = await queued();
    expect(await codeOf(world.runtime.updateQueue(childId, undefined as never))).toBe('INVALID_ARGUMENT');
  });
});
