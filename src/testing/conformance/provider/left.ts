/** What a start or an end leaves behind, seen from outside. */
import type { SubagentEvent } from '../../../registry/event-hub.ts';
import type { ProviderWorld } from './world.ts';

/** Resolves when nothing is left of children that have ended or never came to be. `promise` is what a failure begins with. */
export async function nothingLeft(world: ProviderWorld, promise: string): Promise<void> {
  let left: string | undefined;
  const isClean = async () => {
    left = await leftOf(world);
    return left === undefined;
  };
  await world.time.until(isClean, () => `${promise}: ${left}`);
}

/** What is left, or nothing. */
export async function leftOf(world: ProviderWorld): Promise<string | undefined> {
  const { registry, root, runtime, store, published, events, subject } = world;
  if (registry.capacity.live > 0) return `capacity for ${registry.capacity.live} is not returned (S1.13)`;
  if (registry.externals.size > 0) return 'an external child is left in memory';
  const others = [...registry.residents.keys()].filter((id) => id !== root.id);
  if (others.length > 0) return `${others.length} agents are left in memory`;
  const unpaired = unpairedStarts(events);
  if (unpaired.length > 0) return `a start was announced and no end (S5.5): ${unpaired.join(', ')}`;
  const processes = (await subject.countProcesses?.()) ?? 0;
  if (processes > 0) return `${processes} processes are left (S7.8)`;
  const sessions = [...store.sessions].filter((id) => id !== root.id && !published.has(id));
  if (sessions.length > 0) return `a session row is left of a child that never came to be (S1.6): ${sessions.join(', ')}`;
  if (!registry.residents.has(root.id)) return undefined; // its catalog went with it
  const listed = (await runtime.listChildren(root.id)).filter(({ id }) => !published.has(id));
  return listed.length > 0 ? `a catalog entry is left of a child that never came to be (S1.6): ${listed[0]?.id}` : undefined;
}

export function unpairedStarts(events: readonly SubagentEvent[]): readonly string[] {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === 'subagent/start') open.add(event.id);
    if (event.type === 'subagent/end') open.delete(event.id);
  }
  return [...open];
}
