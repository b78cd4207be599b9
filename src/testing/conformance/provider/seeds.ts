/** Local children: what they begin with. */

import { completedTurns } from '../../../sessions/fold.ts';
import { type SessionId, toSessionId } from '../../../sessions/ids.ts';
import { same } from '../expect.ts';
import { disposed, type ProviderCase } from './bench.ts';

const word = 'what-only-the-parent-knows';

export const seedCases: readonly ProviderCase[] = [
  {
    name: 'a child sees its parent’s conversation exactly if the provider says so (S7.2, S7.3, P19)',
    async run(world) {
      const { root, prompts, time, provider, driver, store } = world;
      await time.settled(root.ask(word), 'the parent works');
      const parentTurns = completedTurns(await store.read(root.id));
      const child = await world.started(prompts.completes);
      await time.settled(child.result, 'the child ends');
      const log = await store.read(child.childId as SessionId);
      const { header } = (await store.head(child.childId as SessionId)) ?? {};
      const seed = log.slice(0, header?.inheritedEvents);
      const expected = provider.inheritsParentContext ? parentTurns : [];
      same(seed, expected, 'the seed is the completed turns of the parent if it inherits, nothing if not (S7.2, S7.3)');
      const seen = driver?.seen.find(({ agentId }) => agentId === child.childId)?.shown;
      if (seen === undefined) return;
      const isShown = seen.some((text) => text.includes(word));
      same(isShown, provider.inheritsParentContext, 'inheritsParentContext says whether the child sees the conversation (S7.3)');
      same(seen.filter((text) => text === prompts.completes).length, 1, 'the child is shown its prompt, once');
    },
  },
  {
    name: 'the prompt is in the child’s own log before the start resolves, behind the seed and its descriptor (S1.3, S6.5)',
    async run(world) {
      const { prompts, store } = world;
      const child = await world.started(prompts.runs, { childId: toSessionId('reserved-2') });
      const log = await store.read(toSessionId('reserved-2'));
      const { header } = (await store.head(toSessionId('reserved-2'))) ?? {};
      const own = log.slice(header?.inheritedEvents);
      same(
        own.slice(0, 2).map(({ type }) => type),
        ['subagent/descriptor', 'inbox/inserted'],
        'descriptor and prompt are committed with the birth of the session (S6.5)',
      );
      const accepted = own.find((event) => event.type === 'inbox/inserted')?.data.messageId;
      same(accepted, child.messageId, 'the message id names the accepted prompt (S1.3)');
      await disposed(world, child, 'a child is disposed');
    },
  },
];
