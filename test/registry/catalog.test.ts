import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { SessionQueryError, SubagentError } from '../../src/errors.ts';
import type { SessionEventMap } from '../../src/sessions/event.ts';
import { type SessionId, toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const list = (world: World, id: string, signal?: AbortSignal) => world.runtime.listChildren(id, signal);

/** Writes catalog entries as another version of the library might have. */
async function foreignLog(world: World, entries: readonly unknown[]): Promise<SessionId> {
  const id = toSessionId('foreign');
  const header = {
    ...({ version: 1, id, createdAt: 0, cwd: '/project', project: '/project', delegationDepth: 0 } as const),
    ...{ isSeeded: false, inheritedEvents: 0 },
  };
  const events = entries.map(
    (data) => ({ type: 'subagent/child', time: 0, data: data as SessionEventMap['subagent/child'] }) as const,
  );
  await world.store.inner.create(header, 'somebody', events);
  return id;
}

test('the catalog lists all local children and the external ones whose parent is told, in the order of their start (S6.1, S6.2)', async () => {
  const world = openWorld();
  const remote = scriptedProvider();
  world.runtime.registerProvider(remote);
  const root = await world.openRoot();
  const one = await world.start(root.agent, { label: 'one', delivery: 'caller' });
  await world.advance(5);
  await world.start(root.agent, { provider: 'remote', label: 'far' });
  await world.advance(5);
  await world.start(root.agent, { provider: 'remote', label: 'unlisted', delivery: 'caller' });
  await world.advance(5);
  const two = await world.start(root.agent, { label: 'two' });
  const start = 1_700_000_000_000;
  expect(await list(world, root.id)).toEqual([
    { id: one.childId, createdAt: start, mode: 'continuable', label: 'one' },
    { id: 'remote-1', createdAt: start + 5, mode: 'external', label: 'far' },
    { id: two.childId, createdAt: start + 15, mode: 'continuable', label: 'two' },
  ]);
});

test('the catalog says who there is and never how they are: it is the same before and after they end (S6.1)', async () => {
  const world = openWorld();
  const place = gate();
  world.driver.script('worker', [waitsAt(place), says('done')]);
  const root = await world.openRoot();
  const child = await world.start(root.agent);
  await place.reached;
  const running = await list(world, root.id);
  place.open();
  await child.result;
  expect(await list(world, root.id)).toEqual(running);
  await world.runtime.sendMessage(root.agent, child.childId, [{ type: 'text', text: 'again' }]);
  await world.gone(child.childId);
  expect(await list(world, root.id)).toEqual(running);
});

test('a listing opens no child, also when the parent itself is cold (S6.3)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  const children = [await world.start(root.agent), await world.start(root.agent)];
  await Promise.all(children.map((child) => child.result));
  await root.close();
  world.store.forgetCalls();
  expect((await list(world, root.id)).map(({ id }) => id)).toEqual(children.map(({ childId }) => childId));
  expect(world.store.calls.map(({ method, session }) => [method, session])).toEqual([['children', root.id]]);
});

test('what a fork inherited is its parent’s, and no child of the fork’s (S6.1)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  const first = await world.start(root.agent, { label: 'first', delivery: 'caller' });
  await first.result;
  await root.ask('go on');
  const fork = await world.start(root.agent, { provider: 'fork', label: 'fork' });
  expect(await world.typesOf(fork.childId)).toContain('subagent/child');
  expect(await list(world, fork.childId)).toEqual([]);
  expect((await list(world, root.id)).map(({ label }) => label)).toEqual(['first', 'fork']);
});

test('entries of a foreign log stay visible: modes that are not ours as unknown, labels without what terminals obey (S6.2, S11)', async () => {
  const world = openWorld();
  world.expectTraceProblems('event-form');
  const base = { createdAt: 7, label: 'x' };
  const id = await foreignLog(world, [
    { id: 'a', mode: 'one-shot', ...base },
    { id: 'b', mode: 'telepathic', ...base },
    { id: 'c', createdAt: 7 },
    { id: 'd', mode: 'external', createdAt: 7, label: 'red \u001b[31m\nline', status: 'running' },
    { id: 'e', mode: 'continuable', createdAt: 7, label: { text: 'x' } },
  ]);
  expect(await list(world, id)).toEqual([
    { id: 'a', mode: 'one-shot', ...base },
    { id: 'b', mode: 'unknown', ...base },
    { id: 'c', mode: 'unknown', createdAt: 7 },
    { id: 'd', mode: 'external', createdAt: 7, label: 'red  [31m line' },
    { id: 'e', mode: 'continuable', createdAt: 7 },
  ]);
});

test('children that are one-shot, external or unknown take no messages, and are left as they are (S6.2, S3.1)', async () => {
  const world = openWorld();
  world.expectTraceProblems('event-form');
  const modes = ['one-shot', 'external', 'telepathic'];
  const id = await foreignLog(
    world,
    modes.map((mode) => ({ id: mode, mode, createdAt: 0, label: mode })),
  );
  await world.store.inner.handBack(id, 1);
  const root = await world.openRoot({ id });
  for (const mode of modes) {
    const sent = world.runtime.sendMessage(root.agent, mode, [{ type: 'text', text: 'hi' }]);
    expect(await codeOf(sent)).toBe('NOT_RESUMABLE');
  }
});

test.each([
  ['that nobody has', 'nobody', 'SESSION_NOT_FOUND'],
  ['that is no id', '../../etc/passwd', 'INVALID_ARGUMENT'],
  ['that is empty', '', 'INVALID_ARGUMENT'],
  ['that is a word of the language', '__proto__', 'INVALID_ARGUMENT'],
])('a parent under an id %s cannot be read (S6.3, S6)', async (_, id, code) => {
  const world = openWorld();
  const failure = await list(world, id).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SessionQueryError);
  expect(failure).toBeInstanceOf(SubagentError);
  expect(failure).toMatchObject({ code });
});

test.each([
  ['with a code of its own', new SubagentError('SESSION_DAMAGED', 'torn'), 'SESSION_DAMAGED'],
  ['with anything', new TypeError('x is not a function'), 'STORE_FAILED'],
])('a store that fails %s fails the query with the cause, and only this query (S6.3)', async (_, error, code) => {
  const world = openWorld();
  const root = await world.openRoot();
  world.store.inject({ at: { method: 'children' }, fault: 'reject', error });
  const failure = await list(world, root.id).catch((given: unknown) => given);
  expect(failure).toBeInstanceOf(SessionQueryError);
  expect(failure).toMatchObject({ code, cause: error });
  expect(await list(world, root.id)).toEqual([]);
});

test('a query whose signal has fired before asks nothing of the store (S6.3)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  world.store.forgetCalls();
  for (const query of ['listChildren', 'readSession', 'readResult'] as const) {
    const failure = await world.runtime[query](root.id, AbortSignal.abort('why')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SessionQueryError);
    expect(failure).toMatchObject({ code: 'CANCELLED', cause: 'why' });
  }
  expect(world.store.calls).toEqual([]);
});

test.each(['listChildren', 'readSession', 'readResult'] as const)(
  '%s that is cancelled while the store hangs ends at once, and leaves no listener on the signal (S6.3, P24)',
  async (query) => {
    const world = openWorld();
    const root = await world.openRoot();
    const abort = new AbortController();
    const { signal } = abort;
    const method = query === 'listChildren' ? 'children' : 'head';
    world.store.inject({ at: { method }, fault: 'hang' });
    const failing = world.runtime[query](root.id, signal).catch((error: unknown) => error);
    await world.store.reached({ method });
    abort.abort();
    const failure = await failing;
    expect(failure).toBeInstanceOf(SessionQueryError);
    expect(failure).toMatchObject({ code: 'CANCELLED' });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    world.store.release(new Error('too late to matter'));
    await world.runtime[query](root.id, new AbortController().signal);
  },
);
