/** Waiting without cancelling (S4.5). Waits on the actors' own transitions. */
import { waitFor } from 'xstate';
import type { ActivationActor, Residency } from '../actors/residency.ts';
import { descendantsOf } from './descendants-of.ts';
import { throwIfAborted } from './registry.ts';

type ActivationSnapshot = ReturnType<ActivationActor['getSnapshot']>;

/** Nothing happens to it until somebody speaks: no turn and no mail that would start one, or it was interrupted and is held. */
export function isQuiet(snapshot: ActivationSnapshot): boolean {
  if (snapshot.status !== 'active') return true;
  const { queued, offered } = snapshot.context;
  if (offered > 0) return false;
  return (
    snapshot.matches({ resident: { waiting: 'held' } }) || (snapshot.matches({ resident: { waiting: 'idle' } }) && queued === 0)
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
    const actors = descendantsOf(parent.children).map((residency) => residency.actor as ActivationActor);
    const moving = actors.filter((actor) => isMoving(actor.getSnapshot()));
    if (moving.length === 0) return hasJoined;
    hasJoined = true;
    // all of them before the next look, which costs as much as there are descendants
    for (const actor of moving) await settled(actor, (snapshot) => !isMoving(snapshot), signal);
  }
}

/** Resolves when neither the agent nor anything below it moves by itself; a child that waits for a wake does not count. */
export async function untilQuiet(residency: Residency, signal: AbortSignal | undefined): Promise<void> {
  const actor = residency.actor as ActivationActor;
  do {
    await settled(actor, isQuiet, signal);
  } while ((await waitForChildren(residency, signal)) || !isQuiet(actor.getSnapshot()));
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
