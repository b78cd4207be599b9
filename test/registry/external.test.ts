/** S1 for external children, S2.10, P-3: a gate at each await of the provider, and providers that break their promises. */
import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { openWorld, type WorldSetup } from '../support/world.ts';

async function withRemote(setup: WorldSetup = {}) {
  const world = openWorld(setup);
  const remote = scriptedProvider();
  world.runtime.registerProvider(remote);
  const root = await world.openRoot();
  const start = (signal?: AbortSignal) =>
    world.start(root.agent, { provider: 'remote', ...(signal !== undefined && { signal }) });
  const entry = { method: 'append', session: root.id, event: 'subagent/child' } as const;
  const nothingLeft = async () => {
    expect(world.live, 'capacity').toBe(0);
    expect(world.registry.externals.size, 'live external children').toBe(0);
    expect(world.resident(root.id).children.size, 'owned children').toBe(0);
    expect(await world.runtime.listChildren(root.id), 'catalog').toEqual([]);
    expect(world.events.lives(), 'events').toEqual([]);
  };
  return { world, remote, root, start, entry, nothingLeft };
}

describe('the start of an external child', () => {
  test('an abort while the provider starts rejects, and the provider cleans up by its signal (S1.6)', async () => {
    const { remote, start, nothingLeft } = await withRemote();
    const place = gate();
    remote.plan({ startAt: place });
    const abort = new AbortController();
    const starting = codeOf(start(abort.signal));
    await place.reached;
    expect(remote.requests[0]?.signal.aborted).toBe(false);
    abort.abort();
    expect(await starting).toBe('CANCELLED');
    expect(remote.requests[0]?.signal.aborted).toBe(true);
    expect(remote.cleanedUp).toBe(1);
    await nothingLeft();
  });

  test.each(['an abort', 'the deadline', 'the end of the parent'] as const)(
    'a provider that ignores %s is not waited for for ever, and its run is disposed when it comes (S1.6, P24)',
    async (reason) => {
      const { world, remote, root, start } = await withRemote();
      const place = gate();
      remote.plan({ startAt: place, ignoresSignal: true });
      const abort = new AbortController();
      const starting = codeOf(start(abort.signal));
      await place.reached;
      const { materializeMs, disposeMs } = world.registry.limits;
      if (reason === 'an abort') abort.abort();
      const closing = reason === 'the end of the parent' ? root.close() : undefined;
      await world.advance(reason === 'the deadline' ? materializeMs : disposeMs);
      expect(await starting).toBe(
        { 'an abort': 'CANCELLED', 'the deadline': 'TIMED_OUT', 'the end of the parent': 'DRAINING' }[reason],
      );
      await closing;
      expect(remote.requests[0]?.signal.aborted).toBe(true);
      expect(world.live).toBe(0);
      expect(remote.runs).toEqual([]);
      place.open();
      await world.rest();
      expect(await remote.run()).toMatchObject({ disposals: 1, isGone: true });
      expect(await world.runtime.listChildren(root.id)).toEqual([]);
      expect(world.events.lives()).toEqual([]);
    },
  );

  test('an abort while the catalog entry is written is too late, as for a local child: it is published, then ended (S1.6)', async () => {
    const { world, remote, start, entry } = await withRemote();
    world.store.inject({ at: entry, fault: 'hang' });
    const abort = new AbortController();
    const starting = start(abort.signal);
    await world.store.reached(entry);
    abort.abort();
    await world.rest();
    world.store.release();
    expect((await (await starting).result).stopReason).toBe('aborted');
    expect(await remote.run()).toMatchObject({ disposals: 1, isGone: true });
    expect(world.events.lives()).toEqual(['start worker', 'end worker aborted']);
  });

  test.each(['STORE_FULL', 'FENCED', 'OUTCOME_UNKNOWN'] as const)(
    'a catalog entry that fails with %s disposes the run and rejects (S6.3)',
    async (code) => {
      const { world, remote, root, start, entry } = await withRemote();
      if (code === 'OUTCOME_UNKNOWN') world.store.inject({ at: entry, fault: 'unknown' });
      else world.store.inject({ at: entry, fault: 'reject', error: new SubagentError(code, 'no') });
      expect(await codeOf(start())).toBe(code);
      expect(await remote.run()).toMatchObject({ disposals: 1, isGone: true });
      expect(world.live).toBe(0);
      expect(world.events.lives()).toEqual([]);
      if (code !== 'STORE_FULL') await world.gone(root.id);
    },
  );

  test('a start that the provider rejects is told as an error of the library, whatever the provider threw (S7.8)', async () => {
    const { remote, start, nothingLeft } = await withRemote();
    const plain = new Error('no binary');
    remote.plan(
      { startError: plain },
      { startError: 'a text' },
      { startError: new SubagentError('UNSUPPORTED_CAPABILITY', 'not this') },
    );
    await expect(start()).rejects.toMatchObject({ code: 'PROVIDER_FAILED', cause: plain });
    expect(await codeOf(start())).toBe('PROVIDER_FAILED');
    expect(await codeOf(start())).toBe('UNSUPPORTED_CAPABILITY');
    await nothingLeft();
  });

  test.each([undefined, null, 7, {}, { id: 'x' }, { id: 'x', result: 7, dispose: () => undefined }])(
    'something that is no run (%j) is refused (S1.3)',
    async (run) => {
      const { world, remote, root } = await withRemote();
      world.runtime.registerProvider({ ...remote, name: 'bad', start: async () => run as never });
      expect(await codeOf(world.start(root.agent, { provider: 'bad' }))).toBe('PROVIDER_FAILED');
      expect(world.live).toBe(0);
    },
  );

  test('a provider that throws before it returns a promise is no different (S1.3)', async () => {
    const { world, remote, root } = await withRemote();
    world.runtime.registerProvider({
      ...remote,
      name: 'bad',
      start: () => {
        throw new Error('now');
      },
    });
    expect(await codeOf(world.start(root.agent, { provider: 'bad' }))).toBe('PROVIDER_FAILED');
  });
});

describe('the life of an external child (S2.10)', () => {
  test('it has no inbox and emits no inbox event: it runs until its result settles, then is disposed and released (S2.10)', async () => {
    const { world, remote, root, start } = await withRemote();
    const child = await start();
    await world.rest();
    expect(world.isResident(child.childId)).toBe(true);
    expect(await codeOf(world.runtime.sendMessage(root.agent, child.childId, [{ type: 'text', text: 'hi' }]))).toBe(
      'NOT_RESUMABLE',
    );
    const run = await remote.run();
    run.settle({ output: [{ type: 'text', text: 'far answer' }] });
    expect(await child.result).toEqual({ output: [{ type: 'text', text: 'far answer' }], stopReason: 'completed' });
    expect(run).toMatchObject({ disposals: 1, isGone: true });
    expect(world.events.of('agent/inbox/inserted').filter(({ agentId }) => agentId !== root.id)).toEqual([]);
    expect(world.isResident(child.childId)).toBe(false);
  });

  test('its parent owns it and does not settle before it (S2.3, S2.10)', async () => {
    const { world, remote, root } = await withRemote();
    world.driver.script('middle', [async (turn) => void (await world.start(turn.agent, { provider: 'remote', label: 'far' }))]);
    const middle = await world.start(root.agent, { label: 'middle' });
    const run = await remote.run();
    await world.rest();
    expect(world.isResident(middle.childId)).toBe(true);
    run.settle();
    await middle.result;
    expect(world.events.lives()).toEqual(['start middle', 'start far', 'end far completed', 'end middle completed']);
    expect(world.driver.turnsOf('middle')).toHaveLength(2);
  });

  test('it stops its one execution when it is interrupted (S4.2)', async () => {
    const { world, remote, root, start } = await withRemote();
    const child = await start();
    await world.rest();
    world.runtime.interrupt(child.childId, { kind: 'ancestor', agent: root.agent });
    expect((await child.result).stopReason).toBe('aborted');
    expect(await remote.run()).toMatchObject({ disposals: 1, isGone: true });
  });

  test('one that has ended before it was started has its start, its end and its disposal, and its timer goes (P-3)', async () => {
    const { world, remote, start } = await withRemote();
    const timers = world.clock.pendingTimers;
    remote.plan({ result: { output: [], stopReason: 'completed' }, timer: { clock: world.clock, ms: 1_000_000 } });
    const child = await start();
    expect((await child.result).stopReason).toBe('completed');
    expect(world.events.lives()).toEqual(['start worker', 'end worker completed']);
    expect(await remote.run()).toMatchObject({ disposals: 1, isGone: true });
    await world.rest();
    expect(world.clock.pendingTimers).toBe(timers);
  });

  test('one whose result is not asked for may reject without harm to the process (P31)', async () => {
    const { world, remote, start } = await withRemote();
    remote.plan({ resultError: new Error('at once') });
    await start();
    await world.events.first('subagent/end');
    expect(world.events.lives()).toEqual(['start worker', 'end worker error']);
  });

  test('one that never settles after its disposal is given up within the bound of a turn (P24)', async () => {
    const { world, remote, start } = await withRemote();
    remote.plan({ neverSettles: true });
    const child = await start();
    const disposal = codeOf(child.dispose());
    await world.advance(world.registry.limits.turnStopMs);
    expect(await disposal).toBe('done'); // the provider says that it is gone
    expect((await child.result).stopReason).toBe('aborted');
    expect(world.live).toBe(0);
  });
});
