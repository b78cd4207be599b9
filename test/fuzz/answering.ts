/** What the tests of answers share: a world for very many children, what can be thrown, and who was told of an end. */
import { openWorld, type World } from '../support/world.ts';
import { hostileProxy, noJson, revokedProxy } from './hostile.ts';

/** Of text that may have many lines. */
export const unsafe = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u;
/** What can be thrown: errors, and what is none. */
export const thrown: readonly (() => unknown)[] = [
  ...Object.values(noJson),
  () => new Error('sk-secret'),
  hostileProxy,
  revokedProxy,
];

export function open(): World {
  const world = openWorld({ limits: { childrenPerAgent: 1_000_000, inboxMessages: 1_000_000, inboxBytes: 1e12 } });
  world.driver.isBlind = true;
  return world;
}

/** How a child ended, as each of those who are told of it has it. */
export async function endsOf(world: World, parentId: string, childId: string) {
  const notices = (await world.logOf(parentId, 'inbox/inserted')).filter(
    ({ data }) => data.source.kind === 'subagent-settled' && data.source.senderSessionId === childId,
  );
  const ended = world.events.of('subagent/end').filter((event) => event.id === childId);
  return { notices: notices.map(({ data }) => data), ended };
}
