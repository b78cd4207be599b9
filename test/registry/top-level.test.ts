/** S2.10 and the two ways in: top-level agents that a driver or their host runs. */
import { describe, expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const rootId = toSessionId('root-1');
const ways = ['openRoot', 'attachRoot'] as const;

describe.each(ways)('%s', (way) => {
  const open = (world: World, setup = {}) => world[way](setup);

  test('it creates a session of its own at depth 0, with the directory as project, and takes no capacity (S2.10, S1.12)', async () => {
    const world = openWorld();
    const root = await open(world, { id: rootId, cwd: '/somewhere' });
    expect(root.id).toBe(rootId);
    expect((await world.store.inner.head(rootId))?.header).toMatchObject({
      delegationDepth: 0,
      cwd: '/somewhere',
      project: '/somewhere',
    });
    expect(world.live).toBe(0);
    await root.close();
    expect((await world.store.inner.head(rootId))?.owner, 'handed back by the time it is closed').toBeUndefined();
  });

  test('it can be reopened, and another runtime can take it over at once (S2.2)', async () => {
    const first = openWorld();
    const root = await open(first, { id: rootId });
    await (await first.start(root.agent)).result;
    await root.close();
    await first.close();
    const second = openWorld({ store: () => first.store.inner, clock: first.clock });
    const again = await open(second, { id: rootId });
    expect(await second.runtime.listChildren(again.id)).toHaveLength(1);
    expect(again.agent).not.toBe(root.agent);
  });

  test('it is refused while it is live, and of two at once one goes through, unharmed (S2.2, P20)', async () => {
    const world = openWorld();
    const codes = await Promise.all([codeOf(open(world, { id: rootId })), codeOf(open(world, { id: rootId }))]);
    expect(codes.sort()).toEqual(['DUPLICATE_CHILD', 'done']);
    expect(await codeOf(open(world, { id: rootId }))).toBe('DUPLICATE_CHILD');
    const { agent } = world.resident(rootId);
    expect((await (await world.start(agent)).result).stopReason).toBe('completed');
  });

  test('of two reopenings at once one goes through, unharmed (S2.2, P20)', async () => {
    const world = openWorld();
    await (await open(world, { id: rootId })).close();
    const codes = await Promise.all([codeOf(open(world, { id: rootId })), codeOf(open(world, { id: rootId }))]);
    expect(codes.sort()).toEqual(['DUPLICATE_CHILD', 'done']);
    const { agent } = world.resident(rootId);
    expect((await (await world.start(agent)).result).stopReason).toBe('completed');
  });

  test('it is refused for a session that is a child (S2.2)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const child = await world.start(root.agent);
    await child.result;
    expect(await codeOf(open(world, { id: child.childId }))).toBe('INVALID_ARGUMENT');
  });

  test('it is refused when the runtime is closed, and leaves nothing when the runtime closes meanwhile (S4.6)', async () => {
    const world = openWorld();
    const at = { method: 'create', session: rootId } as const;
    world.store.inject({ at, fault: 'hang' });
    const opening = codeOf(open(world, { id: rootId }));
    await world.store.reached(at);
    const closing = world.close();
    await world.rest();
    world.store.release();
    expect(['RUNTIME_CLOSED', 'DRAINING']).toContain(await opening);
    await closing;
    await world.rest();
    expect(world.isResident(rootId)).toBe(false);
    expect((await world.store.inner.head(rootId))?.owner).toBeUndefined();
    expect(await codeOf(open(world))).toBe('RUNTIME_CLOSED');
  });

  test('a signal that fires before it is open cancels it, and leaves nothing live', async () => {
    const world = openWorld();
    expect(await codeOf(open(world, { id: rootId, signal: AbortSignal.abort() }))).toBe('CANCELLED');
    const at = { method: 'create', session: rootId } as const;
    world.store.inject({ at, fault: 'hang' });
    const abort = new AbortController();
    const opening = codeOf(open(world, { id: rootId, signal: abort.signal }));
    await world.store.reached(at);
    abort.abort();
    world.store.release();
    expect(await opening).toBe('CANCELLED');
    expect(world.isResident(rootId)).toBe(false);
    expect(await codeOf(open(world, { id: rootId }))).toBe('done');
  });

  test.each([
    { cwd: 'relative' },
    { cwd: 7 },
    { id: '../up' },
    { label: '' },
    { activationsMax: -1 },
    { activationsMax: Number.NaN },
  ])('a setup of the wrong shape is refused: %j', async (setup) => {
    const world = openWorld();
    const { writes } = world.store;
    expect(await codeOf(open(world, setup))).toBe('INVALID_ARGUMENT');
    expect(world.store.writes).toBe(writes);
  });
});

describe('a host-run agent (S2.10)', () => {
  test('it is no activation: no events, no turns, no end of its own (S2.10)', async () => {
    const world = openWorld();
    const host = await world.attachRoot();
    await world.advance(1_000_000);
    expect(world.isResident(host.id)).toBe(true);
    expect(world.events.all).toEqual([]);
    expect(world.driver.turns).toEqual([]);
  });

  test('it needs a deliver callback', async () => {
    const world = openWorld();
    expect(await codeOf(world.attachRoot({ deliver: undefined as never }))).toBe('INVALID_ARGUMENT');
  });

  test('a host that takes a message badly gives its child’s message a typed refusal, within a bound (S3.1, P24)', async () => {
    const world = openWorld();
    const codes: string[] = [];
    const places = [gate(), gate()];
    const deliver = [() => Promise.reject(new Error('host')), () => new Promise<void>(() => undefined)];
    const host = await world.attachRoot({ deliver: () => deliver.shift()?.() });
    world.driver.script('worker', [
      async ({ agent }) => {
        for (const place of places) {
          void place.pass();
          codes.push(await codeOf(world.runtime.sendMessage(agent, host.id, [{ type: 'text', text: 'up' }])));
        }
      },
      says('done'),
    ]);
    const child = await world.start(host.agent, { delivery: 'caller' });
    await places[1]?.reached;
    await world.advance(world.registry.limits.notifyMs);
    expect((await child.result).stopReason).toBe('completed');
    expect(codes).toEqual(['PARENT_UNAVAILABLE', 'TIMED_OUT']);
  });

  test('it closes child first and can be closed twice (S2.4)', async () => {
    const world = openWorld();
    world.driver.script('worker', [waitsAt()]);
    const host = await world.attachRoot();
    const child = await world.start(host.agent);
    await world.driver.turn('worker');
    await Promise.all([host.close(), host.close()]);
    expect(world.isResident(child.childId)).toBe(false);
    await host.close();
  });
});

test('unclaimed prompts of a closed agent wait for it and are taken up when it is reopened (S10.1, P13)', async () => {
  const world = openWorld();
  const place = gate();
  world.driver.script('root', [waitsAt(place)]);
  const root = await world.openRoot({ id: rootId });
  await root.prompt('first');
  await place.reached;
  await root.prompt('second');
  await root.close();
  expect(await codeOf(root.prompt('third'))).toBe('PARENT_UNAVAILABLE');
  await world.openRoot({ id: rootId });
  expect((await world.driver.turn('root', 2)).prompts).toEqual(['first', 'second']);
});
