/** S2.6 for external children: a run whose disposal fails. */
import { describe, expect, test } from 'vitest';
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

describe('a disposal that fails', () => {
  test.each(['rejects', 'throws', 'hangs'] as const)(
    'one that %s after a natural end leaves the outcome, and shows in dispose() and the end event (S2.6, S1.4)',
    async (how) => {
      const { world, remote, root, start } = await withRemote();
      world.expectFaults('dispose');
      const fault = new Error('stuck');
      remote.plan(
        how === 'rejects' ? { disposeError: fault } : how === 'throws' ? { disposeThrows: fault } : { disposeAt: gate() },
      );
      const child = await start();
      (await remote.run()).settle({ output: [{ type: 'text', text: 'fine' }] });
      await world.advance(world.registry.limits.disposeMs);
      expect(await child.result).toEqual({ output: [{ type: 'text', text: 'fine' }], stopReason: 'completed' });
      expect(await codeOf(child.dispose())).toBe('ACTIVATION_TEARDOWN_FAILED');
      expect(world.events.of('subagent/end')).toMatchObject([
        { stopReason: 'completed', error: expect.stringContaining(child.childId) },
      ]);
      expect(await world.inserted(root.id)).toEqual(['Final text:\nfine']);
      expect(world.live).toBe(0);
    },
  );

  test.each(['rejects', 'throws', 'hangs'] as const)(
    'one that %s when asked for rejects dispose() and still releases the parent (S2.6)',
    async (how) => {
      const { world, remote, root, start } = await withRemote();
      world.expectFaults(...(how === 'hangs' ? ['dispose'] : ['provider', 'dispose']));
      const fault = new Error('stuck');
      const broken = {
        neverSettles: false,
        ...(how === 'rejects'
          ? { disposeError: fault }
          : how === 'throws'
            ? { disposeThrows: fault, neverSettles: true }
            : { disposeAt: gate() }),
      };
      remote.plan(broken);
      const child = await start();
      await world.rest();
      const closing = codeOf(root.close());
      await world.advance(world.registry.limits.turnStopMs + world.registry.limits.disposeMs);
      await closing;
      expect(await codeOf(child.dispose())).toBe('ACTIVATION_TEARDOWN_FAILED');
      expect((await child.result).stopReason).toBe('aborted');
      expect(world.isResident(root.id)).toBe(false);
      expect((await remote.run()).disposals).toBe(1);
    },
  );
});
