/** S3.7: a person's message to a child. */
import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/sessions/content.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { ignoresStopAt, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';
import { childId, fates, onlyOf, prompter, running, text } from './prompting.ts';

const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;

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
