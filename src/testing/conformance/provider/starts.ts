/** S1: starts that succeed and starts that fail. */
import { resolve } from 'node:path';
import { toSessionId } from '../../../sessions/ids.ts';
import { answerOf, holds, same } from '../expect.ts';
import { disposed, holdsNoSecret, neededPrompt, type ProviderCase } from './bench.ts';
import { receivedBy } from './capabilities.ts';
import { nothingLeft } from './left.ts';
import type { ProviderWorld } from './world.ts';

export const startCases: readonly ProviderCase[] = [
  {
    name: 'a started child is published: its parent’s catalog lists it, it holds a place, its start is announced (S1.3, S6.1)',
    async run(world) {
      const { runtime, root, registry, conformance, prompts, time, events } = world;
      const child = await world.started(prompts.runs, { label: 'the worker', delivery: 'parent' });
      const isLocal = conformance.kind === 'local';
      const [entry] = await runtime.listChildren(root.id);
      const listed = { id: entry?.id, mode: entry?.mode, label: entry?.label };
      const mode = isLocal ? 'continuable' : 'external';
      same(listed, { id: child.childId, mode, label: 'the worker' }, 'the catalog of the parent lists it (S6.1)');
      same(registry.capacity.live, 1, 'a live child holds one place (S1.13)');
      same(child.messageId !== undefined, isLocal, 'a local child has a message id, an external one has none (S1.3)');
      await time.until(() => events.some(({ type }) => type === 'subagent/start'), 'a start is announced (S5.5)');
      await disposed(world, child, 'a child is disposed');
    },
  },
  {
    name: 'a child works where it was asked to: an absolute directory, one relative to its parent’s, or that of its parent (S1.10, P36)',
    async run(world) {
      const { conformance, prompts, parent, provider, time } = world;
      const { cwd = '/project', subfolder = 'part' } = conformance;
      const asked = [
        [{}, cwd],
        [{ cwd: subfolder }, resolve(cwd, subfolder)],
        [{ cwd: resolve(cwd, subfolder) }, resolve(cwd, subfolder)],
      ] as const;
      for (const [setup, expected] of asked) {
        const child = await world.started(prompts.completes, setup);
        await time.settled(child.result, 'the child ends');
        same(provider.starts.at(-1)?.request.cwd, expected, 'the provider is asked for an absolute directory (S1.10)');
        const received = await receivedBy(world, child.childId);
        if (received !== undefined)
          same(received.cwd, expected, 'the child works in the directory that was asked for (S1.10, P36)');
      }
      same(parent.cwd, cwd, 'the directory of the parent is untouched (P36)');
    },
  },
  {
    name: 'a start whose catalog entry is refused leaves nothing, and the next one succeeds (S6.3)',
    async run(world) {
      world.store.refuseNext('subagent/child');
      const code = await answerOf(
        world.time.settled(world.start(world.prompts.runs, { delivery: 'parent' }), 'a start is answered'),
      );
      same(code, 'STORE_FULL', 'a catalog entry that is refused refuses the start (S6.3)');
      await nothingLeft(world, 'a start that is refused by the catalog disposes its run and leaves nothing (S6.3)');
      await completes(world);
    },
  },
  {
    name: 'a start that the provider fails is an error of the library, leaves nothing, and the next one succeeds (S7.8)',
    needs: 'failsToStart',
    async run(world) {
      const { time, conformance, provider } = world;
      const failure = await time.settled(
        world.start(neededPrompt(world, 'failsToStart')).then(
          () => undefined,
          (error: unknown) => error,
        ),
        'a start that fails is answered',
      );
      holds(failure !== undefined, 'a start that fails rejects (S7.8)');
      same(provider.starts.at(-1)?.answer, 'rejected', 'the provider itself rejects a start that fails (S7.8)');
      holdsNoSecret(String(failure), conformance, 'the error of a start');
      await nothingLeft(world, 'a start that fails has cleaned up what it made (S7.8)');
      await completes(world);
    },
  },
  {
    name: 'children that run at the same time each end by themselves, under ids of their own (R12, P33)',
    async run(world) {
      const { prompts, time } = world;
      const children = await Promise.all(Array.from({ length: 4 }, () => world.started(prompts.completes)));
      same(new Set(children.map(({ childId }) => childId)).size, 4, 'no two children have one id (P33)');
      for (const { result } of children) {
        const { stopReason } = await time.settled(result, 'each of several children ends');
        same(stopReason, 'completed', 'each of several children completes');
      }
    },
  },
  {
    name: 'a child id that is known is refused, and of an external child any (S1.9)',
    async run(world) {
      const { prompts, time, conformance } = world;
      const childId = toSessionId('reserved-1');
      const code = () => answerOf(time.settled(world.start(prompts.completes, { childId }), 'a start is answered'));
      if (conformance.kind === 'external') {
        same(await code(), 'UNSUPPORTED_CAPABILITY', 'an external provider names its children itself (S1.9)');
      } else {
        same([await code(), await code()], ['resolved', 'DUPLICATE_CHILD'], 'a child id is reserved once (S1.9)');
      }
    },
  },
];

async function completes({ time, started, prompts }: ProviderWorld): Promise<void> {
  const child = await started(prompts.completes);
  const { stopReason } = await time.settled(child.result, 'a child that was started after a failure ends');
  same(stopReason, 'completed', 'a provider goes on after a start that failed');
}
