/** S1.6: the caller's signal, at every await of a start. */
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { scriptedLocalProvider, scriptedProvider } from '../support/scripted-provider.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');

interface Held {
  /** Resolves when the start stands at the place. */
  readonly reached: Promise<unknown>;
  open(): void;
}

/** Each await of a local start: holds it there. */
const places: readonly (readonly [name: string, hold: (world: World) => Held])[] = [
  [
    'the driver judges the options',
    (world) => {
      const place = gate();
      world.driver.onValidate = () => place.pass();
      return place;
    },
  ],
  [
    'the provider prepares',
    (world) => {
      const place = gate();
      world.runtime.registerProvider(scriptedLocalProvider(async () => place.pass().then(() => ({})), { name: 'slow' }));
      return place;
    },
  ],
  [
    'the session is created',
    ({ store }) => {
      store.inject({ at: { method: 'create', session: childId }, fault: 'hang' });
      return { reached: store.reached({ method: 'create', session: childId }), open: () => store.release() };
    },
  ],
];

async function expectNothingLeft(world: World, root: { agent: Agent; id: string }): Promise<void> {
  expect(world.live, 'capacity').toBe(0);
  expect(world.isResident(childId), 'a live agent').toBe(false);
  expect(await world.hasSession(childId), 'a session').toBe(false);
  expect(await world.runtime.listChildren(root.id), 'catalog').toEqual([]);
  expect(world.events.lives(), 'events').toEqual([]);
  expect(world.registry.residents.get(root.id)?.children.size, 'owned children').toBe(0);
  expect(world.driver.turnsOf('worker')).toEqual([]);
}

describe.each(places)('a start whose caller aborts while %s', (name, hold) => {
  const provider = name === 'the provider prepares' ? 'slow' : 'spawn';

  test('it rejects CANCELLED and leaves nothing (S1.6)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const place = hold(world);
    const abort = new AbortController();
    const starting = codeOf(world.start(root.agent, { provider, childId, signal: abort.signal }));
    await place.reached;
    abort.abort(new Error('not any more'));
    place.open();
    expect(await starting).toBe('CANCELLED');
    await expectNothingLeft(world, root);
  });

  test('it rejects within the bound of a disposal when the step does not come back, and takes back what comes later (S1.6, P24)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const place = hold(world);
    const abort = new AbortController();
    const starting = codeOf(world.start(root.agent, { provider, childId, signal: abort.signal }));
    await place.reached;
    abort.abort();
    await world.advance(world.registry.limits.disposeMs);
    expect(await starting).toBe('CANCELLED');
    expect(world.live).toBe(0);
    place.open();
    await world.rest();
    await expectNothingLeft(world, root);
  });

  test('it is undone when its deadline passes, also when the step succeeds later (P24)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const place = hold(world);
    const starting = codeOf(world.start(root.agent, { provider, childId }));
    await place.reached;
    await world.advance(world.registry.limits.materializeMs);
    expect(await starting).toBe('TIMED_OUT');
    expect(world.live).toBe(0);
    place.open();
    await world.rest();
    await expectNothingLeft(world, root);
  });

  test('it leaves the id free for another start (S1.6)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const place = hold(world);
    const abort = new AbortController();
    const starting = codeOf(world.start(root.agent, { provider, childId, signal: abort.signal }));
    await place.reached;
    abort.abort();
    place.open();
    expect(await starting).toBe('CANCELLED');
    const second = await world.start(root.agent, { childId });
    expect((await second.result).stopReason).toBe('completed');
  });

  test('it is drained with the rest: the drain waits for it, the parent lives on and admits nothing more (S4.3, P11)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const place = hold(world);
    const starting = codeOf(world.start(root.agent, { provider, childId }));
    await place.reached;
    let isDrained = false;
    const drain = world.runtime.drainDescendants([root.agent]).then(() => {
      isDrained = true;
    });
    await world.rest();
    expect(isDrained).toBe(false);
    place.open();
    expect(await starting).toBe('DRAINING');
    await drain;
    await expectNothingLeft(world, root);
    expect(await codeOf(world.start(root.agent))).toBe('DRAINING');
    expect(world.isResident(root.id)).toBe(true);
  });

  test('it ends with the parent when that is stopped, and leaves nothing (S2.4, P11)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const place = hold(world);
    const starting = codeOf(world.start(root.agent, { provider, childId }));
    await place.reached;
    const closing = root.close();
    place.open();
    expect(await starting).toBe('DRAINING');
    await closing;
    expect(await world.hasSession(childId)).toBe(false);
    expect(await world.runtime.listChildren(root.id)).toEqual([]);
    expect(world.events.lives()).toEqual([]);
  });
});

test('a start whose signal has fired before it does nothing at all (S1.6)', async () => {
  const world = openWorld();
  const remote = scriptedProvider();
  world.runtime.registerProvider(remote);
  const root = await world.openRoot();
  const { writes } = world.store;
  expect(await codeOf(world.start(root.agent, { childId, signal: AbortSignal.abort() }))).toBe('CANCELLED');
  expect(await codeOf(world.start(root.agent, { provider: 'remote', signal: AbortSignal.abort() }))).toBe('CANCELLED');
  expect(world.store.writes).toBe(writes);
  expect(remote.requests).toEqual([]);
  await expectNothingLeft(world, root);
});
