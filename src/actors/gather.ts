/** Children often end together. A parent that one notice wakes waits for those that are ending too, so that one turn hears them all. */
import type { InboxMessage } from '../sessions/message.ts';
import type { ActivationActor, Residency } from './residency.ts';
import type { World } from './world.ts';

/** Milliseconds that a turn opened by notices may wait for more; a model call takes far longer. */
const gatherMs = 100;

export function areNotices(input: readonly InboxMessage[]): boolean {
  return input.every((message) => message.source.kind === 'subagent-settled');
}

/** Resolves when no child of `parent` is on its way out, when the bound has passed, or when `signal` fires. */
export async function gatherNotices(world: World, parent: Residency, signal: () => AbortSignal): Promise<void> {
  if (endingChild(parent) === undefined) return;
  const over = Promise.withResolvers<void>();
  let isOver = false;
  const end = () => {
    isOver = true;
    over.resolve();
  };
  const cancel = world.clock.schedule(gatherMs, end);
  const aborted = signal();
  aborted.addEventListener('abort', end, { once: true });
  for (let child = endingChild(parent); child !== undefined && !isOver; child = endingChild(parent)) {
    await Promise.race([child.whenReleased(), over.promise]);
  }
  cancel();
  aborted.removeEventListener('abort', end);
}

function endingChild(parent: Residency): Residency | undefined {
  for (const child of parent.children) {
    const snapshot = (child.actor as ActivationActor).getSnapshot();
    if (snapshot.hasTag('ending') || snapshot.matches({ resident: 'settled' })) return child;
  }
  return undefined;
}
