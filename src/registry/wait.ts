/** Waiting without cancelling (S4.5). Waits on the actors' own transitions. */
import { waitFor } from 'xstate';
import type { ActivationActor, Residency } from '../actors/residency.ts';
import { throwIfAborted } from './registry.ts';
import { descendantsOf } from './stop.ts';

type ActivationSnapshot = ReturnType<ActivationActor['getSnapshot']>;

/** No turn runs, nothing waits that would start one, and no child is owned. */
export function isQuiet(snapshot: ActivationSnapshot): boolean {
  const { queued, offered, children } = snapshot.context;
  return (
    snapshot.status !== 'active' || (snapshot.matches({ resident: { waiting: 'idle' } }) && queued + offered + children === 0)
  );
}

/** It moves by itself: a turn runs, a message is being committed, or it is on its way in or out. */
function isMoving(snapshot: ActivationSnapshot): boolean {
  if (snapshot.status !== 'active') return false;
  return !snapshot.matches({ resident: 'waiting' }) || snapshot.context.offered > 0;
}

/** Joins every descendant that is making progress. Resolves with whether there was any; idle ones are not waited for. */
export async function waitForChildren(parent: Residency, signal: AbortSignal | undefined): Promise<boolean> {
  let hasJoined = false;
  while (true) {
    throwIfAborted(signal);
    const moving = descendantsOf(parent.children).find((residency) =>
      isMoving((residency.actor as ActivationActor).getSnapshot()),
    );
    if (moving === undefined) return hasJoined;
    hasJoined = true;
    await settled(moving.actor as ActivationActor, (snapshot) => !isMoving(snapshot), signal);
  }
}

export async function untilQuiet(residency: Residency, signal: AbortSignal | undefined): Promise<void> {
  await settled(residency.actor as ActivationActor, isQuiet, signal);
}

async function settled(
  actor: ActivationActor,
  isOver: (snapshot: ActivationSnapshot) => boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await waitFor(actor, isOver, { timeout: Number.POSITIVE_INFINITY, ...(signal !== undefined && { signal }) });
  } catch (fault) {
    throwIfAborted(signal);
    if (actor.getSnapshot().status === 'active') throw fault;
  }
}
