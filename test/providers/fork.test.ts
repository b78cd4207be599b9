import { expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import { forkProvider } from '../../src/providers/fork.ts';
import { spawnProvider } from '../../src/providers/spawn.ts';
import { textOf } from '../../src/sessions/content.ts';
import type { SessionEvent } from '../../src/sessions/event.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { scriptedLocalProvider } from '../support/scripted-provider.ts';
import { does, ends, says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const say = (text: string) => [{ type: 'text', text } as const];

/** The fork that `root` starts, and what it is shown at first, as `role: text`. */
async function fork(world: World, root: { agent: Parameters<World['start']>[0] }) {
  const child = await world.start(root.agent, { provider: 'fork', label: 'fork', delivery: 'caller' });
  const { history, agent } = await world.driver.turn('fork');
  const record = await world.runtime.readSession(child.childId);
  return { child, agent, record, shown: history.map(({ role, content }) => `${role}: ${textOf(content)}`) };
}

test('a spawned child has seen nothing but its prompt (S7.2)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  await root.ask('a secret');
  const child = await world.start(root.agent);
  const { history } = await world.driver.turn('worker');
  expect(history).toEqual([{ role: 'user', content: say('go') }]);
  expect((await world.runtime.readSession(child.childId)).header).toMatchObject({ isSeeded: false, inheritedEvents: 0 });
});

test('a forked child has seen the completed turns of its parent, and then its prompt (S7.3)', async () => {
  const world = openWorld();
  world.driver.script('root', [says('one')], [says('two')]);
  const root = await world.openRoot();
  await root.ask('first');
  await root.ask('second');
  const { record, shown } = await fork(world, root);
  expect(shown).toEqual(['user: first', 'assistant: one', 'user: second', 'assistant: two', 'user: go']);
  const parent = await world.log(root.id);
  expect(record.header).toMatchObject({ isSeeded: true, inheritedEvents: parent.findLastIndex(isEnd) + 1 });
  expect(record.events.slice(0, record.header.inheritedEvents)).toEqual(parent.slice(0, record.header.inheritedEvents));
});

const isEnd = ({ type }: SessionEvent) => type === 'turn/ended';

test('a fork of a parent that has completed nothing yet is a fresh child (S7.3)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  const { record, shown } = await fork(world, root);
  expect(shown).toEqual(['user: go']);
  expect(record.header.isSeeded).toBe(false);
});

test('the open turn and what nobody has claimed stay with the parent (S7.3, P19)', async () => {
  const world = openWorld();
  const place = gate();
  world.driver.script('root', [says('one')], [says('half'), waitsAt(place)]);
  const root = await world.openRoot();
  await root.ask('first');
  await root.prompt('second');
  await place.reached;
  await root.prompt('not claimed');
  const { shown } = await fork(world, root);
  expect(shown).toEqual(['user: first', 'assistant: one', 'user: go']);
  place.open();
  await root.whenQuiet();
  expect(world.driver.turnsOf('fork')).toHaveLength(1);
});

test('the seed ends where the parent was at admission, whatever the parent does while the child is made (S7.3)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  await root.ask('before');
  const place = gate();
  world.driver.onValidate = () => place.pass();
  const starting = fork(world, root);
  await place.reached;
  await root.prompt('meanwhile');
  await world.driver.turn('root', 2);
  await world.rest();
  place.open();
  expect((await starting).shown).toEqual(['user: before', 'assistant: ok', 'user: go']);
});

test('what the parent owes is not owed by the fork: neither mail nor notices nor children (S7.3, S3.6)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  world.driver.script('root', [says('one')]);
  await root.ask('first');
  await root.inject('parked');
  const other = await world.start(root.agent, { label: 'other' });
  await other.result;
  await root.whenQuiet();
  const { child, record } = await fork(world, root);
  expect(record.events.slice(0, record.header.inheritedEvents).some(({ type }) => type === 'subagent/child')).toBe(true);
  await child.result;
  await world.gone(child.childId);
  expect((await world.store.inner.pending()).map(({ header }) => header.id)).not.toContain(child.childId);
  expect(await world.runtime.listChildren(child.childId)).toEqual([]);
});

test('a fork of a fork inherits both, and stays an agent of its own (S7.3)', async () => {
  const world = openWorld();
  world.driver.script('root', [says('root speaks')]);
  const root = await world.openRoot();
  await root.ask('begin');
  const grandchild = Promise.withResolvers<string>();
  world.driver.script(
    'fork',
    [says('fork speaks')],
    [
      does(async (turn) => {
        const made = await world.start(turn.agent, { provider: 'fork', label: 'second', delivery: 'caller' });
        await made.result;
        grandchild.resolve(made.childId);
      }),
    ],
  );
  const { child } = await fork(world, root);
  await child.result;
  await world.runtime.sendMessage(root.agent, toSessionId(child.childId), say('fork on'));
  const record = await world.runtime.readSession(await grandchild.promise);
  const { history } = await world.driver.turn('second');
  expect(history.map(({ content }) => textOf(content))).toEqual(['begin', 'root speaks', 'go', 'fork speaks', 'go']);
  expect(record.header).toMatchObject({ delegationDepth: 2, parentSession: child.childId, project: '/project' });
});

test('a fork that says nothing has no output, however much its parent had said (S5.1, P37)', async () => {
  const world = openWorld();
  world.driver.script('root', [says('words of the parent')]);
  world.driver.script('fork', [ends('refusal')]);
  const root = await world.openRoot();
  await root.ask('begin');
  const { child } = await fork(world, root);
  expect(await child.result).toEqual({ output: [], stopReason: 'refusal' });
  expect(await world.runtime.readResult(child.childId)).toEqual({ output: [] });
});

test('the notice of a fork that was told late does not carry the words of its parent either (S3.9, P37)', async () => {
  const world = openWorld();
  world.expectFaults('notice');
  world.driver.script('root', [says('words of the parent')]);
  world.driver.script('fork', [ends('refusal')]);
  const root = await world.openRoot();
  await root.ask('begin');
  const full = new SubagentError('STORE_FULL', 'full');
  world.store.inject({ at: { method: 'append', session: root.id, event: 'inbox/inserted' }, fault: 'reject', error: full });
  const child = await world.start(root.agent, { provider: 'fork', label: 'fork' });
  await child.result;
  await world.runtime.sendMessage(root.agent, child.childId, say('again'));
  const told = (await world.logOf(root.id, 'inbox/inserted')).filter(({ data }) => data.source.kind === 'subagent-settled');
  expect(told.map(({ data }) => [data.messageId, textOf(data.content)])).toEqual([[`${child.childId}:1`, 'It left no text.']]);
});

test('a parent that its host runs cannot be forked, and nothing is left of the start (S7.3)', async () => {
  const world = openWorld();
  const host = await world.attachRoot();
  expect(await codeOf(world.start(host.agent, { provider: 'fork' }))).toBe('UNSUPPORTED_CAPABILITY');
  expect([world.live, await world.runtime.listChildren(host.id)]).toEqual([0, []]);
});

test.each([
  ['with a gap', [1]],
  ['out of order', [1, 0]],
  ['twice over', [0, 0]],
])('a provider’s own seed that is numbered %s is refused (S7.1)', async (_, numbers) => {
  const world = openWorld();
  const seed = numbers.map(
    (seq) => ({ seq, time: 0, type: 'turn/ended', data: { turnId: 't', stopReason: 'completed' } }) as const,
  );
  world.runtime.registerProvider(scriptedLocalProvider(() => ({ seed })));
  const root = await world.openRoot();
  expect(await codeOf(world.start(root.agent, { provider: 'local' }))).toBe('PROVIDER_FAILED');
  expect(await world.runtime.listChildren(root.id)).toEqual([]);
});

test('both can be registered under names of their own (S7.1)', () => {
  const { runtime } = openWorld();
  runtime.registerProvider(forkProvider({ name: 'branch' }));
  runtime.registerProvider(spawnProvider({ name: 'fresh' }));
  expect(runtime.list().map(({ name, inheritsParentContext }) => [name, inheritsParentContext])).toEqual([
    ['spawn', false],
    ['fork', true],
    ['branch', true],
    ['fresh', false],
  ]);
});
