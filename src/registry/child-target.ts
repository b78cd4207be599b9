/** The child that a message is for: in memory, on its way out, or in the store; or none of the sender's (S3.1, S3.2). */
import type { Residency } from '../actors/residency.ts';
import type { Agent } from '../agents/agent.ts';
import { SubagentError } from '../errors.ts';
import { toSessionId } from '../sessions/ids.ts';
import { findResident, mustBeExact, type Registry, throwIfAborted } from './registry.ts';
import { readStoredChild, type StoredChild } from './resume.ts';
import { untilAborted } from './until-aborted.ts';

export interface ChildTarget {
  /** In memory and receiving. */
  readonly live?: Residency;
  /** In the store only. */
  readonly stored?: StoredChild;
}

/** The sender's direct child, once it can take a message: waits for a release that is under way, at most until `until`. */
export async function childTarget(
  registry: Registry,
  sender: Agent,
  targetId: string,
  signal: AbortSignal | undefined,
  until = registry.clock.now() + registry.limits.drainMs,
): Promise<ChildTarget> {
  while (true) {
    throwIfAborted(signal);
    const owner = mustBeExact(registry, sender);
    const target = findResident(registry, targetId);
    if (target === undefined) {
      const reading = storedTarget(registry, owner, targetId);
      return { stored: await untilAborted(reading, signal, () => cancelled(signal)) };
    }
    if (liveTarget(owner, target) !== undefined) return { live: target };
    if (registry.clock.now() >= until) throw new SubagentError('ACTIVATION_CLOSING', `agent ${targetId} is still being released`);
    await released(registry, target, signal);
  }
}

/** The target if it takes messages now. Throws if it never takes one of this sender. */
export function liveTarget(owner: Residency, target: Residency | undefined): Residency | undefined {
  if (target === undefined) return undefined;
  if (target.parent !== owner) throw notYours();
  if (target.kind === 'external') throw new SubagentError('NOT_RESUMABLE', 'an external child takes no messages');
  return target.isReceiving ? target : undefined;
}

/** A direct child in the store that can be continued; everything else is refused before anything is claimed (S3.6). */
async function storedTarget(registry: Registry, owner: Residency, targetId: string): Promise<StoredChild> {
  const entries = owner.session === undefined ? [] : await registry.store.children(owner.session.id);
  const entry = entries.find(({ data }) => data.id === targetId)?.data;
  if (entry === undefined) throw notYours();
  if (entry.mode !== 'continuable') throw new SubagentError('NOT_RESUMABLE', `a child of mode ${entry.mode} takes no messages`);
  const head = await registry.store.head(toSessionId(targetId));
  if (head === undefined) throw new SubagentError('SESSION_NOT_FOUND', `the session of child ${targetId} does not exist`);
  if (head.header.parentSession !== owner.id || head.header.origin !== 'subagent') throw notYours();
  return readStoredChild(registry, head);
}

async function released(registry: Registry, target: Residency, signal: AbortSignal | undefined): Promise<void> {
  const { drainMs } = registry.limits;
  await new Promise<void>((resolve) => {
    const go = () => {
      cancel();
      signal?.removeEventListener('abort', go);
      resolve();
    };
    const cancel = registry.clock.schedule(drainMs, go);
    signal?.addEventListener('abort', go, { once: true });
    target.whenReleased().then(go, go);
  });
}

export function cancelled(signal: AbortSignal | undefined): SubagentError {
  return new SubagentError('CANCELLED', 'the message was cancelled before it was accepted', { cause: signal?.reason });
}

/** Unknown and forbidden get the same answer. */
export function notYours(): SubagentError {
  return new SubagentError('UNAUTHORIZED', 'messages go to the direct parent and to direct children only; nothing was delivered');
}
