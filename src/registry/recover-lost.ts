/**
 * A child whose session was lost because the store did not say what became of a write has ended, and nobody can say how: the log
 * tells. Nobody else has the session, so this runtime recovers it as after a crash, below a parent that is still there (S10.1).
 */
import type { ActivationActor, Residency } from '../actors/residency.ts';
import type { Session } from '../sessions/session.ts';
import { recoverOne } from './recover.ts';
import type { Registry } from './registry.ts';

/** The parent is kept from settling meanwhile, and whoever waits until it is quiet waits, for at most `drainMs`. */
export async function recoverLost(registry: Registry, { session, parent }: Residency): Promise<void> {
  if (session === undefined || parent === undefined || parent.isReleased || parent.hasTag('ending')) return;
  const letGo = hold(registry, parent);
  try {
    await handBack(registry, session);
    await recoverOne(registry, session.id);
  } finally {
    letGo();
  }
}

/**
 * Counted as a message on its way, until the parent is asked to end: then it waits for nobody. A host-run parent has no mail of
 * its own, and does not settle.
 */
function hold(registry: Registry, parent: Residency): () => void {
  if (parent.kind === 'attached' || !parent.isReceiving) return () => undefined;
  parent.send({ type: 'message.offered' });
  let isHeld = true;
  const letGo = () => {
    cancel();
    subscription.unsubscribe();
    if (isHeld) parent.send({ type: 'message.refused' });
    isHeld = false;
  };
  const cancel = registry.clock.schedule(registry.limits.drainMs, letGo);
  const subscription = (parent.actor as ActivationActor).subscribe((snapshot) => {
    if (snapshot.hasTag('ending')) queueMicrotask(letGo); // behind the transition that it hears of
  });
  return letGo;
}

async function handBack(registry: Registry, session: Session): Promise<void> {
  try {
    await session.handBack();
  } catch (fault) {
    registry.report('hand back', fault); // it is offered again before anybody asks what is pending
  }
}
