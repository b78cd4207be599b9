/** Every limit on what is taken in or passed on: at n−1 and n it is, at n+1 it is not. */
import { afterEach, describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import { createRuntime } from '../../src/registry/create-runtime.ts';
import { textOf } from '../../src/sessions/content.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { noteFigure } from '../support/figures.ts';
import { gate } from '../support/gate.ts';
import { says, takesSteering, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type WorldSetup } from '../support/world.ts';

const text = (words: string) => [{ type: 'text', text: words }] as const;
/** So many bytes of UTF-8, with characters of two bytes where they fit. */
const bytes = (count: number) => 'é'.repeat(Math.floor(count / 2)) + 'x'.repeat(count % 2);

afterEach(() => noteFigure('limitTests', 1));

/** A child that waits in its first turn. */
async function waiting(setup: WorldSetup) {
  const world = openWorld(setup);
  const place = gate();
  world.driver.script('worker', [waitsAt(place), says('first')]);
  const root = await world.openRoot();
  const child = await world.start(root.agent);
  await place.reached;
  const send = (words: string) => codeOf(world.runtime.sendMessage(root.agent, child.childId, text(words)));
  return { world, place, root, child, send };
}

describe('children in the life of one agent (childrenPerAgent)', () => {
  test('2 of 3, 3 of 3, not 4 of 3, over all its activations, and with the catalog unchanged by the refusal (S1.13)', async () => {
    const world = openWorld({ limits: { childrenPerAgent: 3 } });
    const root = await world.openRoot();
    for (let index = 0; index < 2; index++) await (await world.start(root.agent)).result;
    await root.close();
    const reopened = await world.openRoot({ id: root.id });
    expect(await codeOf(world.start(reopened.agent))).toBe('done');
    expect(await codeOf(world.start(reopened.agent, { childId: toSessionId('over') }))).toBe('CHILD_LIMIT_REACHED');
    expect(await world.runtime.listChildren(root.id)).toHaveLength(3);
    expect(await world.hasSession('over')).toBe(false);
  });

  test('each agent has its own: a child starts as many as its parent may', async () => {
    const world = openWorld({ limits: { childrenPerAgent: 1 } });
    const codes: string[] = [];
    world.driver.script('worker', [
      async (turn) => {
        for (let index = 0; index < 2; index++)
          codes.push(await codeOf(world.start(turn.agent, { label: 'leaf', delivery: 'caller' })));
      },
    ]);
    const root = await world.openRoot();
    await (await world.start(root.agent)).result;
    expect(codes).toEqual(['done', 'CHILD_LIMIT_REACHED']);
  });
});

describe('messages in one inbox (inboxMessages)', () => {
  test('2 of 3, 3 of 3, not 4 of 3; the refused one is in no log (S3.5)', async () => {
    const { world, send, child, place } = await waiting({ limits: { inboxMessages: 3 } });
    expect(await send('1')).toBe('done');
    expect(await send('2')).toBe('done');
    expect(await send('3')).toBe('done');
    expect(await send('4')).toBe('INBOX_FULL');
    expect(await world.inserted(child.childId)).toEqual(['go', '1', '2', '3']);
    place.open();
    await child.result;
    expect(world.driver.turnsOf('worker')[1]?.input.map(({ content }) => textOf(content))).toEqual(['1', '2', '3']);
  });

  test('of those in one instant exactly as many are taken as there is room for', async () => {
    const { send, place, child } = await waiting({ limits: { inboxMessages: 3 } });
    const codes = await Promise.all(['1', '2', '3', '4', '5'].map(send));
    expect(codes).toEqual(['done', 'done', 'done', 'INBOX_FULL', 'INBOX_FULL']);
    place.open();
    await child.result;
  });

  test('what is claimed makes room, in a turn and between turns', async () => {
    const world = openWorld({ limits: { inboxMessages: 2 } });
    const [first, second] = [gate(), gate()];
    world.driver.script('worker', [waitsAt(first), takesSteering(), waitsAt(second)]);
    const root = await world.openRoot();
    const child = await world.start(root.agent);
    await first.reached;
    const send = (words: string) => codeOf(world.runtime.sendMessage(root.agent, child.childId, text(words)));
    expect([await send('1'), await send('2'), await send('3')]).toEqual(['done', 'done', 'INBOX_FULL']);
    first.open();
    await second.reached;
    expect([await send('4'), await send('5'), await send('6')]).toEqual(['done', 'done', 'INBOX_FULL']);
    second.open();
    await child.result;
    expect(world.resident(root.id).inboxMessages).toBeGreaterThanOrEqual(0);
    expect(await send('7')).toBe('done');
  });

  test('a message that could not be written leaves its room to others', async () => {
    const { world, send, place, child } = await waiting({ limits: { inboxMessages: 1 } });
    const error = new SubagentError('STORE_FULL', 'no');
    world.store.inject({ at: { method: 'append', event: 'inbox/inserted' }, fault: 'reject', error });
    expect(await send('lost')).toBe('STORE_FULL');
    expect(await send('1')).toBe('done');
    expect(await send('2')).toBe('INBOX_FULL');
    place.open();
    await child.result;
  });

  test('a notice is taken when the inbox is full, since losing it would lose a result (P01)', async () => {
    const world = openWorld({ limits: { inboxMessages: 1 } });
    const place = gate();
    world.driver.script('root', [waitsAt(place)]);
    const root = await world.openRoot();
    await root.prompt('hold');
    await place.reached;
    await root.prompt('fills the inbox');
    const child = await world.start(root.agent);
    await child.result;
    expect(await world.inserted(root.id)).toEqual(['hold', 'fills the inbox', 'Final text:\nok']);
    expect(await codeOf(root.prompt('one more'))).toBe('INBOX_FULL');
    place.open();
  });
});

describe('bytes in one inbox (inboxBytes)', () => {
  test('9 of 10, 10 of 10, not 11 of 10, counted as UTF-8 (S3.5)', async () => {
    const { world, send, child, place } = await waiting({ limits: { inboxBytes: 10 } });
    expect(await send(bytes(9))).toBe('done');
    expect(await send(bytes(2))).toBe('INBOX_FULL');
    expect(await send(bytes(1))).toBe('done');
    expect(await send(bytes(1))).toBe('INBOX_FULL');
    expect(await world.inserted(child.childId)).toHaveLength(3);
    place.open();
    await child.result;
  });

  test('an image counts the same coming in and going out, so that the count returns to nothing', async () => {
    const world = openWorld();
    world.driver.isSeeing = true;
    const place = gate();
    world.driver.script('worker', [waitsAt(place), takesSteering(), waitsAt()]);
    const root = await world.openRoot();
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
    const child = await world.start(root.agent, { prompt: [image] });
    await place.reached;
    expect(world.resident(child.childId)).toMatchObject({ inboxBytes: 0, inboxMessages: 0 });
    await world.runtime.sendMessage(root.agent, child.childId, [image, ...text('see')]);
    expect(world.resident(child.childId).inboxBytes).toBe('image/pngAAAA'.length + 3);
    place.open();
    await world.rest();
    expect(world.resident(child.childId)).toMatchObject({ inboxBytes: 0, inboxMessages: 0 });
  });
});

describe('bytes of one message (messageBytes)', () => {
  const setup = { limits: { messageBytes: 10 } };

  test('9 of 10, 10 of 10, not 11 of 10, for messages, prompts of children, and prompts of people (S3.1, S1.2)', async () => {
    const { world, send, root, child, place } = await waiting(setup);
    expect([await send(bytes(9)), await send(bytes(10)), await send(bytes(11))]).toEqual(['done', 'done', 'MESSAGE_TOO_LARGE']);
    const start = (count: number) => codeOf(world.start(root.agent, { prompt: bytes(count), label: `of ${count}` }));
    expect([await start(9), await start(10), await start(11)]).toEqual(['done', 'done', 'MESSAGE_TOO_LARGE']);
    const prompt = (count: number) => codeOf(root.prompt(bytes(count)));
    expect([await prompt(9), await prompt(10), await prompt(11)]).toEqual(['done', 'done', 'MESSAGE_TOO_LARGE']);
    place.open();
    await child.result;
    expect(await world.runtime.listChildren(root.id)).toHaveLength(3);
  });

  test('all blocks of a message count together', async () => {
    const { world, root, child, place } = await waiting(setup);
    const two = (one: number, other: number) =>
      codeOf(world.runtime.sendMessage(root.agent, child.childId, [...text(bytes(one)), ...text(bytes(other))]));
    expect([await two(5, 5), await two(5, 6)]).toEqual(['done', 'MESSAGE_TOO_LARGE']);
    place.open();
  });

  test('a cold child is not touched for a message that is too large (S3.6)', async () => {
    const world = openWorld(setup);
    const root = await world.openRoot();
    const child = await world.start(root.agent);
    await child.result;
    await world.rest();
    const { writes } = world.store;
    expect(await codeOf(world.runtime.sendMessage(root.agent, child.childId, text(bytes(11))))).toBe('MESSAGE_TOO_LARGE');
    expect(world.store.writes).toBe(writes);
  });
});

test('a limit that is no number from 0 up is refused when the runtime is made', async () => {
  for (const bad of [-1, Number.NaN, '3', null]) {
    expect(await codeOf(() => createRuntime({ limits: { depthMax: bad as never } }))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(() => createRuntime({ capacity: { perRoot: bad as never } }))).toBe('INVALID_ARGUMENT');
  }
});
