/** S3.7: a person's message to a child. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SubagentPromptRequest } from '../../src/registry/prompt.ts';
import { textOf } from '../../src/sessions/content.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { tempFolder } from '../sessions/temp-folder.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { ignoresStopAt, says, takesSteering, waitsAt } from '../support/scripted-steps.ts';
import { countedIds, openWorld, type World, type WorldSetup } from '../support/world.ts';

const childId = toSessionId('child-1');
const text = (words: string) => [{ type: 'text', text: words }] as const;
const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;

/** A child in its first turn, waiting at a gate before a step boundary. */
async function running(setup: WorldSetup = {}) {
  const world = openWorld(setup);
  const place = gate();
  world.driver.script('worker', [waitsAt(place), takesSteering(), says('done')]);
  const root = await world.openRoot({ id: 'root' });
  const child = await world.start(root.agent, { childId });
  await place.reached;
  return { world, root, child, place, prompt: prompter(world) };
}

const prompter =
  ({ runtime }: World) =>
  (requestId: string, more: Partial<SubagentPromptRequest> = {}, signal?: AbortSignal) =>
    runtime.prompt(
      {
        ...{ parentId: 'root', childId, delivery: 'queue', requestId, content: text(requestId) },
        ...more,
      } as SubagentPromptRequest,
      signal,
    );

/** How often each message is in the log, and by which turn it was claimed. */
async function fates(world: World, id: string = childId): Promise<readonly string[]> {
  const events = await world.log(id);
  return events.flatMap((event) =>
    event.type === 'inbox/inserted'
      ? [`in ${event.data.messageId}`]
      : event.type === 'inbox/claimed'
        ? event.data.messageIds.map((messageId) => `out ${messageId}`)
        : [],
  );
}
const onlyOf = (all: readonly string[], requestId: string) => all.filter((fate) => fate.endsWith(`request:${requestId}`));

describe('delivery (S3.7)', () => {
  test('queue opens a turn of its own for each message, in order; steer joins the turn that runs (S3.7, S3.5)', async () => {
    const { world, child, place, prompt } = await running();
    for (const id of ['first', 'second']) await prompt(id);
    await prompt('now', { delivery: 'steer' });
    place.open();
    await child.result;
    const turns = world.driver
      .turnsOf('worker')
      .map(({ input, steering }) => [...input, ...steering].map((m) => textOf(m.content)));
    expect(turns).toEqual([['go', 'now'], ['first'], ['second']]);
  });

  test('it is the person’s own message: no line of the runtime above it, and its source and time zone in the log (S3.7, P37)', async () => {
    const { world, child, place, prompt } = await running();
    expect(await prompt('plain', { timeZone: 'Europe/Berlin' })).toBe('request:plain');
    place.open();
    await child.result;
    const [, logged] = await world.logOf(childId, 'inbox/inserted');
    expect(logged?.data.source).toEqual({ kind: 'user', form: 'prompt', requestId: 'plain', timeZone: 'Europe/Berlin' });
    expect(world.driver.turnsOf('worker')[1]?.prompts).toEqual(['go', 'plain']);
  });

  test.each(['queue', 'steer'] as const)(
    '%s to a child that has settled brings it back, and its end is told to the parent (S3.7, S3.9)',
    async (delivery) => {
      const { world, root, child, place, prompt } = await running();
      place.open();
      await child.result;
      await world.gone(childId);
      await prompt('later', { delivery });
      await world.gone(childId);
      expect(world.driver.turnsOf('worker')[1]?.input.map((m) => m.messageId)).toEqual(['request:later']);
      const notices = (await world.logOf(root.id, 'inbox/inserted')).map(({ data }) => data.messageId);
      expect(notices).toEqual([`${childId}:1`, `${childId}:2`]);
    },
  );

  test('a steer that its turn never took opens a turn: at its end, and after an interrupt while it winds down (S3.7, S3.8)', async () => {
    const world = openWorld();
    const [first, second] = [gate(), gate()];
    world.driver.script('worker', [waitsAt(first)], [ignoresStopAt(second)]);
    const root = await world.openRoot({ id: 'root' });
    const child = await world.start(root.agent, { childId });
    await first.reached;
    await prompter(world)('one', { delivery: 'steer' });
    first.open();
    await second.reached;
    world.runtime.interrupt(childId, { kind: 'ancestor', agent: root.agent });
    await prompter(world)('two', { delivery: 'steer' });
    second.open();
    await child.result;
    const turns = world.driver.turnsOf('worker').map(({ input }) => input.map((m) => textOf(m.content)));
    expect(turns).toEqual([['go'], ['one'], ['two']]);
  });
});

describe('refusals (S3.7)', () => {
  test('a parent that is not the child’s, that is unknown, or that is not there has no say, and nothing is written (S3.7)', async () => {
    const { world, prompt } = await running();
    const other = await world.openRoot({ id: 'other' });
    const { writes } = world.store;
    expect(await codeOf(prompt('r', { parentId: other.id }))).toBe('UNAUTHORIZED');
    expect(await codeOf(prompt('r', { parentId: childId }))).toBe('UNAUTHORIZED');
    expect(await codeOf(prompt('r', { childId: 'nobody' }))).toBe('UNAUTHORIZED');
    expect(await codeOf(prompt('r', { parentId: 'nobody' }))).toBe('PARENT_UNAVAILABLE');
    expect(world.store.writes).toBe(writes);
  });

  test('images go only to a model that takes them, live or stored; those that are taken are in the log (S3.7)', async () => {
    const { world, child, place, prompt } = await running();
    expect(await codeOf(prompt('picture', { content: [image] }))).toBe('UNSUPPORTED_CAPABILITY');
    place.open();
    await child.result;
    await world.gone(childId);
    expect(await codeOf(prompt('picture', { content: [image] }))).toBe('UNSUPPORTED_CAPABILITY');
    expect(onlyOf(await fates(world), 'picture')).toEqual([]);
    world.driver.isSeeing = true;
    await prompt('picture', { content: [...text('look'), image] });
    const logged = (await world.logOf(childId, 'inbox/inserted')).at(-1);
    expect(logged?.data.content).toEqual([...text('look'), image]);
  });

  test('at the bound of live activations a settled child takes none, and says so to a person in a person’s code (S3.7, S1.13)', async () => {
    const { world, root, child, place, prompt } = await running({ capacity: { perRoot: 1 } });
    place.open();
    await child.result;
    await world.gone(childId);
    world.driver.script('holder', [waitsAt()]);
    await world.start(root.agent, { label: 'holder' });
    await world.rest();
    const { writes } = world.store;
    expect(await codeOf(prompt('r'))).toBe('subagent/delivery-unavailable');
    expect(world.store.writes).toBe(writes);
  });

  test('at the bound a settled child below a settled parent is refused too, and nobody waits for a place (S3.7, S1.13)', async () => {
    const world = openWorld({ capacity: { perRoot: 2 } });
    world.driver.script('middle', [
      async ({ agent }) => void (await world.start(agent, { label: 'leaf', childId: toSessionId('leaf') })),
    ]);
    const root = await world.openRoot({ id: 'root' });
    await (await world.start(root.agent, { label: 'middle', childId: toSessionId('middle') })).result;
    await world.rest();
    world.driver.script('holder', [waitsAt()], [waitsAt()]);
    const request = { parentId: 'middle', childId: 'leaf' };
    await world.start(root.agent, { label: 'holder' });
    let code: string | undefined;
    void codeOf(prompter(world)('one place is not enough', request)).then((given) => {
      code = given;
    });
    await world.rest();
    expect(code).toBe('subagent/delivery-unavailable');
    expect(await world.inserted('leaf')).toEqual(['go']);
    expect(world.live, 'the parent has left again').toBe(1);
    await world.start(root.agent, { label: 'holder' });
    expect(await codeOf(prompter(world)('no place', request))).toBe('subagent/delivery-unavailable');
    expect(world.live).toBe(2);
  });

  test.each([
    ['no request id', { requestId: '' }],
    ['a request id without end', { requestId: 'x'.repeat(129) }],
    ['no delivery', { delivery: 'later' as never }],
    ['no content', { content: [] }],
    ['a time zone that is none', { timeZone: 7 as never }],
  ])('%s is refused (S3.7)', async (_, wrong) => {
    const { prompt } = await running();
    expect(await codeOf(prompt('r', wrong))).toBe('INVALID_ARGUMENT');
  });
});

describe('a repeated request (S3.7, P15)', () => {
  test('it is delivered once: at the same time, while it waits, after it was claimed, and after the child has ended (S3.7)', async () => {
    const { world, child, place, prompt } = await running();
    const ids = await Promise.all([prompt('r'), prompt('r'), prompt('r', { delivery: 'steer', content: text('other words') })]);
    ids.push(await prompt('r'));
    place.open();
    await child.result;
    await world.gone(childId);
    ids.push(await prompt('r'));
    expect(new Set(ids)).toEqual(new Set(['request:r']));
    expect(onlyOf(await fates(world), 'r')).toEqual(['in request:r', 'out request:r']);
    expect(world.isResident(childId), 'a repeat wakes nobody').toBe(false);
  });

  test('it is delivered once when the repeat comes after a restart, with the message claimed or still waiting (S3.7, S10.1)', async () => {
    const path = join(tempFolder('quick'), 'store.db');
    const open = (prefix: string, leaseMs = 1_000) =>
      ({ ids: countedIds(prefix), store: (clock) => sqliteStore({ path, clock, leaseMs }) }) satisfies WorldSetup;
    const before = await running(open('a'));
    await before.prompt('claimed', { delivery: 'steer' });
    before.place.open();
    await before.child.result;
    await before.world.close();
    await before.world.store.inner.close();
    const world = openWorld(open('b'));
    await world.openRoot({ id: 'root' });
    expect(await prompter(world)('claimed')).toBe('request:claimed');
    expect(await prompter(world)('claimed')).toBe('request:claimed');
    expect(onlyOf(await fates(world), 'claimed')).toEqual(['in request:claimed', 'out request:claimed']);
    await prompter(world)('new');
    expect(onlyOf(await fates(world), 'new')[0]).toBe('in request:new');
    await world.gone(childId);
    await world.close();
    await world.store.inner.close();
  });

  test('it is known again while another message brings the child back (S3.7)', async () => {
    const { world, root, child, place, prompt } = await running();
    await prompt('r');
    place.open();
    await child.result;
    await world.gone(childId);
    const at = { method: 'claim', session: childId } as const;
    world.store.inject({ at, fault: 'hang' });
    const sending = world.runtime.sendMessage(root.agent, childId, text('back'));
    await world.store.reached(at);
    const repeating = prompt('r');
    await world.rest();
    world.store.release();
    expect(await repeating).toBe('request:r');
    await sending;
    await world.gone(childId);
    expect(onlyOf(await fates(world), 'r')).toEqual(['in request:r', 'out request:r']);
  });

  test('an id that a fork inherited from its parent is no repeat (S3.7, P15)', async () => {
    const { world, child, place, prompt } = await running();
    const fork = toSessionId('fork');
    world.driver.script('worker', [
      async ({ agent }) => void (await world.start(agent, { provider: 'fork', label: 'fork', childId: fork })),
      waitsAt(),
    ]);
    world.driver.script('fork', [waitsAt()]);
    await prompt('r', { delivery: 'steer' });
    place.open();
    await prompt('next');
    await world.driver.turn('fork');
    expect(onlyOf(await fates(world, fork), 'r')).toHaveLength(2);
    await prompt('r', { parentId: childId, childId: fork });
    expect(onlyOf(await fates(world, fork), 'r')).toHaveLength(3);
    await child.dispose();
  });

  test('the same id for two children is two requests, and ids cannot be made to meet (S3.7, P33)', async () => {
    const { world, root, prompt } = await running();
    world.driver.script('second', [waitsAt()]);
    await world.start(root.agent, { label: 'second', childId: toSessionId('second') });
    await Promise.all([prompt('r'), prompt('r', { childId: 'second' })]);
    expect(onlyOf(await fates(world), 'r')).toHaveLength(1);
    expect(onlyOf(await fates(world, 'second'), 'r')).toHaveLength(1);
    const both = await Promise.all([prompt('x y'), codeOf(prompt('y', { childId: `${childId} x` }))]);
    expect(both).toEqual(['request:x y', 'UNAUTHORIZED']);
    const wrong = await Promise.all([prompt('z'), codeOf(prompt('z', { parentId: 'second' }))]);
    expect(wrong).toEqual(['request:z', 'UNAUTHORIZED']);
  });
});

describe('the signal of a prompt (S3.7)', () => {
  test('one that has fired refuses; one that fires while the child is brought back cancels; one that fires afterwards does nothing', async () => {
    const { world, child, place, prompt } = await running();
    expect(await codeOf(prompt('r0', {}, AbortSignal.abort()))).toBe('CANCELLED');
    place.open();
    await child.result;
    await world.gone(childId);
    const abort = new AbortController();
    world.store.inject({ at: { method: 'claim', session: childId }, fault: 'hang' });
    const cancelled = codeOf(prompt('r1', {}, abort.signal));
    await world.store.reached({ method: 'claim', session: childId });
    abort.abort();
    world.store.release();
    expect(await cancelled).toBe('CANCELLED');
    await world.gone(childId);
    const late = new AbortController();
    await prompt('r2', {}, late.signal);
    late.abort();
    await world.gone(childId);
    expect((await fates(world)).filter((fate) => fate.includes('request'))).toEqual(['in request:r2', 'out request:r2']);
  });

  test('it ends the wait for a store that does not answer a read (S3.7, P24)', async () => {
    const { world, child, place, prompt } = await running();
    place.open();
    await child.result;
    await world.gone(childId);
    world.store.inject({ at: { method: 'children' }, fault: 'hang' });
    const abort = new AbortController();
    const prompting = codeOf(prompt('r', {}, abort.signal));
    await world.store.reached({ method: 'children' });
    abort.abort();
    expect(await prompting).toBe('CANCELLED');
  });

  test('of two callers of one request the one that gives up takes nothing from the other (S3.7)', async () => {
    const { world, child, place, prompt } = await running();
    place.open();
    await child.result;
    await world.gone(childId);
    world.store.inject({ at: { method: 'claim', session: childId }, fault: 'hang' });
    const abort = new AbortController();
    const given = codeOf(prompt('r', {}, abort.signal));
    await world.store.reached({ method: 'claim', session: childId });
    const kept = prompt('r');
    const impatient = codeOf(prompt('r', {}, AbortSignal.any([abort.signal])));
    abort.abort();
    world.store.release();
    expect([await given, await impatient, await kept]).toEqual(['CANCELLED', 'CANCELLED', 'request:r']);
    await world.gone(childId);
    expect(onlyOf(await fates(world), 'r')).toEqual(['in request:r', 'out request:r']);
  });
});
