import { expect, test } from 'vitest';
import type { SessionEvent } from '../../src/sessions/event.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { memoryStore } from '../../src/sessions/stores/memory.ts';
import { codeOf } from '../support/code-of.ts';
import { says } from '../support/scripted-steps.ts';
import { countedIds, openWorld, type World } from '../support/world.ts';

const say = (text: string) => [{ type: 'text', text } as const];

test('a child’s log begins with a descriptor of what it was resolved to, and then the prompt (S6.5)', async () => {
  const world = openWorld({ presets: { expert: { driver: openWorld().driver, options: { model: 'large' } } } });
  const root = await world.openRoot({ options: { provider: 'p', model: 'm', maxTokens: 100 } });
  const outputSchema = { type: 'object' } as const;
  const child = await world.start(root.agent, { agentOptions: { model: 'small' }, outputSchema, maxDepth: 2 });
  expect((await world.log(child.childId)).slice(0, 2)).toMatchObject([
    {
      seq: 0,
      type: 'subagent/descriptor',
      data: {
        ...{ version: 1, provider: 'spawn', mode: 'continuable', label: 'worker', maxDepth: 2, outputSchema },
        agentOptions: { provider: 'p', model: 'small', maxTokens: 100 },
      },
    },
    { seq: 1, type: 'inbox/inserted' },
  ]);
});

test('a fork’s own descriptor comes after its seed, and the seed’s never speaks for it (S6.5, S3.6)', async () => {
  const world = openWorld();
  world.driver.script('first', [says('one')]);
  const root = await world.openRoot();
  const first = await world.start(root.agent, { label: 'first', agentOptions: { model: 'inherited' }, delivery: 'caller' });
  await first.result;
  // it comes back and forks: its completed turns, which are the seed, begin with its own descriptor
  world.driver.script('first', [
    async (turn) => {
      const setup = { provider: 'fork', label: 'fork', agentOptions: { model: 'own' }, delivery: 'caller' } as const;
      await (await world.start(turn.agent, setup)).result;
    },
  ]);
  await world.runtime.sendMessage(root.agent, first.childId, say('fork now'));
  const { agent } = await world.driver.turn('fork');
  await world.gone(first.childId);
  const record = await world.runtime.readSession(agent.id);
  const descriptors = record.events.filter(({ type }) => type === 'subagent/descriptor');
  expect(descriptors.map(({ seq }) => seq)).toEqual([0, record.header.inheritedEvents]);
  expect(record.header.isSeeded).toBe(true);

  await world.runtime.sendMessage(root.agent, first.childId, say('once more'));
  const again = await world.driver.turn('first', 3);
  await world.runtime.sendMessage(again.agent, agent.id, say('as yourself'));
  const resumed = await world.driver.turn('fork', 2);
  expect(resumed.options).toMatchObject({ model: 'own' });
  expect(resumed.agent).toMatchObject({ label: 'fork', depth: 2 });
});

test('the descriptor never enters the history that a model is shown (S6.5)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  await (await world.start(root.agent, { label: 'secret-label', agentOptions: { model: 'CANARY' } })).result;
  const [turn] = world.driver.turnsOf('secret-label');
  expect(turn?.history).toEqual([{ role: 'user', content: say('go') }]);
});

/** A settled child whose stored descriptor is replaced; the world that then finds it. */
async function withDescriptor(data: unknown): Promise<{ world: World; childId: string; send(): Promise<unknown> }> {
  const before = openWorld();
  const root = await before.openRoot();
  const child = await before.start(root.agent, { delivery: 'caller' });
  await child.result;
  await before.close();
  const world = openWorld({ store: () => memoryStore({ clock: before.clock }), ids: countedIds('m') });
  for (const id of [root.id, toSessionId(child.childId)]) {
    const head = await before.store.inner.head(id);
    const events = (await before.log(id)).map((event) =>
      event.type === 'subagent/descriptor' ? ({ ...event, data } as SessionEvent) : event,
    );
    if (head === undefined) throw new Error('the session is gone');
    await world.store.inner.create(head.header, 'before', events);
    await world.store.inner.handBack(id, 1);
  }
  const reopened = await world.openRoot({ id: root.id });
  return {
    world,
    childId: child.childId,
    send: () => world.runtime.sendMessage(reopened.agent, child.childId, say('come back')),
  };
}

const sound = { version: 1, provider: 'spawn', mode: 'continuable', label: 'worker', agentOptions: {} };

test.each<readonly [string, unknown, string]>([
  ['nothing', null, 'SESSION_DAMAGED'],
  ['a text', 'spawn', 'SESSION_DAMAGED'],
  ['no version', { ...sound, version: undefined }, 'SESSION_DAMAGED'],
  ['a version that is no number', { ...sound, version: 'one' }, 'SESSION_DAMAGED'],
  ['a later version', { ...sound, version: 2, mode: 'new' }, 'SESSION_UNSUPPORTED'],
  ['no provider', { ...sound, provider: undefined }, 'SESSION_DAMAGED'],
  ['another mode', { ...sound, mode: 'one-shot' }, 'SESSION_DAMAGED'],
  ['a label of another type', { ...sound, label: 5 }, 'SESSION_DAMAGED'],
  ['no options', { ...sound, agentOptions: undefined }, 'SESSION_DAMAGED'],
  ['options of another type', { ...sound, agentOptions: 'large' }, 'SESSION_DAMAGED'],
  ['a preset of another type', { ...sound, agentPreset: {} }, 'SESSION_DAMAGED'],
  ['a schema of another type', { ...sound, outputSchema: [] }, 'SESSION_DAMAGED'],
  ['instructions of another type', { ...sound, instructions: 5 }, 'SESSION_DAMAGED'],
  ['tools of another type', { ...sound, tools: [5] }, 'SESSION_DAMAGED'],
  ['a depth of another type', { ...sound, maxDepth: '3' }, 'SESSION_DAMAGED'],
])(
  'a child described by %s cannot be continued: nothing is claimed, run or taken, and it stays listed (S6.5, S6.2, P17)',
  async (_, data, code) => {
    const { world, childId, send } = await withDescriptor(data);
    world.expectTraceProblems('event-form', 'birth');
    const before = await world.log(childId);
    expect(await codeOf(send())).toBe(code);
    expect(await world.log(childId)).toEqual(before);
    expect(await world.store.inner.head(toSessionId(childId))).toMatchObject({ epoch: 1, owner: undefined });
    expect(world.live).toBe(0);
    expect(world.driver.turns).toEqual([]);
    const [root] = await world.store.inner.roots();
    expect(await world.runtime.listChildren(root?.header.id ?? '')).toMatchObject([{ id: childId, label: 'worker' }]);
  },
);

test('a child whose description is sound comes back as described (S6.5, P16)', async () => {
  const { world, send } = await withDescriptor({ ...sound, agentOptions: { model: 'kept' } });
  await send();
  expect((await world.driver.turn('worker')).options).toEqual({ model: 'kept' });
});

test('a log without any descriptor says that it cannot be continued (S6.5, P17)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  const child = await world.start(root.agent, { delivery: 'caller' });
  await child.result;
  const id = toSessionId('bare');
  const head = await world.store.inner.head(toSessionId(child.childId));
  if (head === undefined) throw new Error('the session is gone');
  await world.store.inner.create({ ...head.header, id }, 'before', []);
  await world.store.inner.handBack(id, 1);
  const entry = { id, mode: 'continuable', createdAt: head.header.createdAt, label: 'bare' } as const;
  await world.resident(root.id).session?.append([{ type: 'subagent/child', time: 0, data: entry }]);
  expect(await codeOf(world.runtime.sendMessage(root.agent, id, say('hi')))).toBe('NOT_RESUMABLE');
});
