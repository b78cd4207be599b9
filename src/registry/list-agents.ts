/** The catalog with live activity (S6.6): membership comes from the log, activity from what is in memory now. */
import type { ActivationActor } from '../actors/residency.ts';
import type { Agent } from '../agents/agent.ts';
import type { ChildMode } from '../sessions/event.ts';
import { listChildren, type SubagentCatalogEntry } from './catalog.ts';
import { listDescendants, type SubagentDescendantListEntry } from './descendants.ts';
import { findResident, mustBeExact, type Registry } from './registry.ts';

export type AgentActivity = 'running' | 'inactive';

export interface AgentListing {
  readonly id: string;
  readonly label?: string;
  readonly mode?: ChildMode;
  readonly activity: AgentActivity;
  /** Why it cannot be read, if it cannot. */
  readonly reason?: string | undefined;
  readonly parentId?: string;
  readonly depth?: number;
}

/** `running` while a turn runs. */
export function activityOf(registry: Registry, id: string): AgentActivity {
  const residency = findResident(registry, id);
  if (residency === undefined) return 'inactive';
  return (residency.actor as ActivationActor).getSnapshot().matches({ resident: 'running' }) ? 'running' : 'inactive';
}

export async function listAgents(
  registry: Registry,
  root: Agent,
  scope: 'children' | 'descendants',
  signal?: AbortSignal,
): Promise<readonly AgentListing[]> {
  const { id } = mustBeExact(registry, root);
  const entries = scope === 'children' ? await listChildren(registry, id, signal) : await listDescendants(registry, id, signal);
  return entries.map((entry) => ({ ...diagnosed(entry), activity: activityOf(registry, entry.id) }));
}

/** A child whose mode cannot be read is shown with the reason in both scopes; the descendants listing says it itself. */
function diagnosed(
  entry: SubagentCatalogEntry | SubagentDescendantListEntry,
): SubagentCatalogEntry | SubagentDescendantListEntry {
  return 'mode' in entry && entry.mode === 'unknown' ? { ...entry, reason: 'unsupported' } : entry;
}
