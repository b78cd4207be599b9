/**
 * Stopping (S4). A stop reaches a whole subtree in one synchronous loop, parents first, so that nothing can be started
 * under what is being stopped; release then climbs from the leaves by itself. One deadline covers the subtree.
 */

import { teardownError } from '../actors/release.ts';
import type { ActivationActor, AttachmentActor, Residency } from '../actors/residency.ts';
import type { Agent } from '../agents/agent.ts';
import { SubagentError } from '../errors.ts';
import type { MailPolicy } from '../machines/activation-types.ts';
import type { CancelTimer } from '../ports/clock.ts';
import { fieldsOf, listOf } from '../sessions/outside.ts';
import { descendantsOf } from './descendants-of.ts';
import { exactResident, findResident, mustBeExact, type Registry } from './registry.ts';

export type SubagentInterruptAuthority =
  | { readonly kind: 'user'; readonly parentSessionId: string }
  | { readonly kind: 'ancestor'; readonly agent: Agent };

/** Asks whole subtrees to end. Resolves when all their roots are released, at most `drainMs` plus, for each level, the bounds of a release. */
export async function stopTrees(registry: Registry, roots: readonly Residency[], mail: MailPolicy): Promise<void> {
  const all = requestStop(registry, roots, mail);
  const cancel = boundStop(registry, all);
  await Promise.all(roots.map((root) => root.whenReleased()));
  cancel();
}

/** For a release that began by itself: the same, for what it still owns, without waiting. Bounds what it waits for in any case. */
export function stopChildren(registry: Registry, parent: Residency): void {
  if (parent.children.size === 0 && !isOffered(parent)) return;
  // scheduled: called from inside a transition, and a stop that nests through actors overflows at some 550 levels
  queueMicrotask(() => {
    if (parent.isReleased) return;
    const running = [...parent.children].filter((child) => !child.hasTag('ending'));
    if (running.length === 0 && isAskedToEnd(parent)) return; // whoever asked has bounded it
    const cancel = boundStop(registry, [parent, ...requestStop(registry, running, 'keep')]);
    parent.whenReleased().then(cancel, cancel);
  });
}

function isAskedToEnd(residency: Residency): boolean {
  if (residency.kind === 'attached') return !(residency.actor as AttachmentActor).getSnapshot().context.isFenced;
  return (residency.actor as ActivationActor).getSnapshot().context.reason === 'disposed';
}

/** Messages are on their way to it. A host-run agent has no mail of its own. */
function isOffered({ kind, actor }: Residency): boolean {
  return kind !== 'attached' && (actor as ActivationActor).getSnapshot().context.offered > 0;
}

/** Parents first. Returns everything that was asked, in that order. */
function requestStop(registry: Registry, roots: readonly Residency[], mail: MailPolicy): Residency[] {
  const all = new Set(roots);
  for (const residency of all) {
    residency.requestEnd(mail);
    for (const child of residency.children) all.add(child);
  }
  registry.aborts.fire();
  return [...all];
}

/** When the bound has passed, nothing is waited for any more but children on their last steps, which are bounded themselves. */
function boundStop(registry: Registry, all: readonly Residency[]): CancelTimer {
  return registry.clock.schedule(registry.limits.drainMs, () => {
    for (const residency of all.toReversed()) {
      if (residency.isReleased) continue;
      residency.teardownFault ??= new SubagentError(
        'TIMED_OUT',
        `agent ${residency.childId} did not end within ${registry.limits.drainMs} ms`,
      );
      residency.send({ type: 'release.expired' });
    }
  });
}

/** Closes delegation below exact live agents and ends everything there; other trees stay (S4.3). The cutoff lasts. */
export async function drainDescendants(registry: Registry, parents: readonly Agent[]): Promise<void> {
  const residencies = listOf(parents, 'the list of agents', (parent) => mustBeExact(registry, parent as Agent));
  for (const residency of residencies) residency.send({ type: 'delegation.closed' });
  await drain(
    registry,
    residencies.flatMap((residency) => [...residency.children]),
  );
}

/** The same for chosen direct children. Absent ids are no-ops; somebody else's child is `UNAUTHORIZED` (S4.4). */
export async function drainChildren(registry: Registry, parent: Agent, childIds: readonly string[]): Promise<void> {
  const owner = mustBeExact(registry, parent);
  const ids = listOf(childIds, 'the list of ids', checkedText);
  const children = ids.map((id) => findResident(registry, id)).filter((child) => child !== undefined);
  if (children.some((child) => child.parent !== owner)) {
    throw new SubagentError('UNAUTHORIZED', 'only its parent may drain a child');
  }
  await drain(registry, children);
}

function checkedText(id: unknown): string {
  if (typeof id === 'string') return id;
  throw new SubagentError('INVALID_ARGUMENT', 'an id is a text');
}

async function drain(registry: Registry, children: readonly Residency[]): Promise<void> {
  const below = descendantsOf(children);
  await stopTrees(registry, children, 'keep');
  const faults = below.map(teardownError).filter((fault) => fault !== undefined);
  if (faults.length > 0) throw failedReleases(faults, below.length);
}

/** Ends one agent and everything below it. Rejects `ACTIVATION_TEARDOWN_FAILED` once all have ended, if one of them did not end well. */
export async function stopTree(registry: Registry, root: Residency, mail: MailPolicy): Promise<void> {
  const all = descendantsOf([root]);
  await stopTrees(registry, [root], mail);
  await root.handedBack;
  const faults = all.map(teardownError).filter((fault) => fault !== undefined);
  const [own] = faults;
  if (own !== undefined) throw faults.length === 1 && root.teardownFault !== undefined ? own : failedReleases(faults, all.length);
}

function failedReleases(faults: readonly SubagentError[], among: number): SubagentError {
  return new SubagentError('ACTIVATION_TEARDOWN_FAILED', `${faults.length} of ${among} agents ended with a failed release`, {
    cause: new AggregateError(faults),
  });
}

/** Parents first, each once. */
/** Stops the current turn and keeps the activation (S4.1). Returns at once; an absent target is accepted. */
export function interrupt(registry: Registry, targetId: string, authority: SubagentInterruptAuthority): void {
  const mayStop = powerOf(registry, targetId, authority);
  const target = findResident(registry, targetId);
  if (target === undefined) return;
  if (!mayStop(target)) throw refused();
  target.send({ type: 'interrupt.requested' });
  registry.aborts.fire();
}

/** Whom this authority may interrupt. A stale caller and one that means itself are refused whether or not the target exists. */
function powerOf(registry: Registry, targetId: string, authority: SubagentInterruptAuthority): (target: Residency) => boolean {
  const { kind, agent, parentSessionId } = readAuthority(authority);
  if (kind === 'ancestor') {
    const ancestor = mustBeExact(registry, agent as Agent);
    if (ancestor.childId === targetId) throw refused();
    return (target) => isBelow(target, ancestor);
  }
  // a top-level agent has no parent: an authority that names none must not match it
  if (kind !== 'user' || typeof parentSessionId !== 'string') throw refused();
  if (parentSessionId === targetId) throw refused();
  return (target) => target.parent?.id === parentSessionId;
}

/** What is no authority, or cannot be read, is refused like a wrong one. */
function readAuthority(authority: unknown) {
  try {
    return fieldsOf(authority, ['kind', 'agent', 'parentSessionId'], 'an authority');
  } catch {
    throw refused(); // fieldsOf throws for nothing else
  }
}

function isBelow(target: Residency, ancestor: Residency): boolean {
  for (let parent = target.parent; parent !== undefined; parent = parent.parent) if (parent === ancestor) return true;
  return false;
}

function refused(): SubagentError {
  return new SubagentError('UNAUTHORIZED', 'only the direct parent or a live ancestor may interrupt an agent');
}

/** A top-level agent leaves, and everything below it. */
export async function closeAgent(registry: Registry, agent: Agent): Promise<void> {
  const residency = exactResident(registry, agent);
  if (residency !== undefined) await stopTree(registry, residency, 'keep');
}
