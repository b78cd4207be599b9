/** Walks the catalogs below an agent (S6.4): stable pre-order, each session read once and let go before the next. */
import { errorCode, SessionQueryError, SubagentError } from '../errors.ts';
import type { ChildMode, SessionEventOf } from '../sessions/event.ts';
import { foldSession } from '../sessions/fold.ts';
import { type SessionId, toSessionId } from '../sessions/ids.ts';
import { quoted } from '../sessions/one-line.ts';
import { signalOf } from '../sessions/outside.ts';
import { readEntry, type SubagentCatalogEntry } from './catalog.ts';
import type { Registry } from './registry.ts';
import { untilAborted } from './until-aborted.ts';

export type DescendantDiagnostic = 'corrupt' | 'unsupported' | 'unavailable';

interface InTree {
  readonly parentId: string;
  /** Level below the root of the listing, whose children have 1. */
  readonly depth: number;
  /** Whether its own catalog has entries; absent where that cannot be known. */
  readonly hasChildren?: boolean;
}
export type SubagentDescendantListEntry =
  | (SubagentCatalogEntry & InTree & { readonly reason?: undefined })
  | (Pick<SubagentCatalogEntry, 'id' | 'label'> & InTree & { readonly reason: DescendantDiagnostic });

type CatalogEvent = SessionEventOf<'subagent/child'>;

interface Visit {
  readonly entry: SubagentCatalogEntry;
  readonly parentId: string;
  readonly depth: number;
}

/** Rejects `SessionQueryError` if the root cannot be read, and `SubagentError` `CANCELLED`. */
export async function listDescendants(
  registry: Registry,
  rootId: string,
  given?: AbortSignal,
): Promise<readonly SubagentDescendantListEntry[]> {
  const signal = signalOf(given);
  throwIfCancelled(signal);
  return untilAborted(walk(registry, rootId, signal), signal, () => cancelled(signal));
}

async function walk(
  registry: Registry,
  rootId: string,
  signal: AbortSignal | undefined,
): Promise<readonly SubagentDescendantListEntry[]> {
  const listed: SubagentDescendantListEntry[] = [];
  const seen = new Set<string>([rootId]);
  const stack = visitsOf(await rootCatalog(registry, rootId), rootId, 1);
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    throwIfCancelled(signal);
    const { entry, depth } = visit;
    if (seen.has(entry.id)) continue;
    seen.add(entry.id);
    const { listing, below } = await look(registry, visit);
    listed.push(listing);
    stack.push(...visitsOf(below, entry.id, depth + 1));
  }
  throwIfCancelled(signal);
  return listed;
}

async function rootCatalog(registry: Registry, rootId: string): Promise<readonly CatalogEvent[]> {
  try {
    return await registry.store.children(toSessionId(rootId));
  } catch (error) {
    throw new SessionQueryError(errorCode(error) ?? 'STORE_FAILED', `the catalog of ${quoted(rootId)} could not be read`, {
      cause: error,
    });
  }
}

/** A stack takes the last first, so the first child goes on top. */
function visitsOf(entries: readonly CatalogEvent[], parentId: string, depth: number): Visit[] {
  return entries.map(({ data }) => ({ entry: readEntry(data), parentId, depth })).reverse();
}

async function look(
  registry: Registry,
  visit: Visit,
): Promise<{ listing: SubagentDescendantListEntry; below: readonly CatalogEvent[] }> {
  const { entry, parentId, depth } = visit;
  const place = { parentId, depth };
  if (entry.mode === 'external') return { listing: { ...entry, ...place, hasChildren: false }, below: [] };
  const label = entry.label !== undefined && { label: entry.label };
  try {
    const below = await registry.store.children(toSessionId(entry.id));
    const reason = await diagnose(registry, entry.id as SessionId, entry.mode);
    const hasChildren = below.length > 0;
    if (reason !== undefined) return { listing: { id: entry.id, ...label, ...place, hasChildren, reason }, below };
    return { listing: { ...entry, ...place, hasChildren }, below };
  } catch (error) {
    return { listing: { id: entry.id, ...label, ...place, reason: reasonOf(error) }, below: [] };
  }
}

/** A child whose descriptor cannot be read stays visible, is walked, and cannot be continued. */
async function diagnose(registry: Registry, id: SessionId, mode: ChildMode): Promise<DescendantDiagnostic | undefined> {
  if (mode === 'unknown') return 'unsupported';
  if (mode !== 'continuable') return undefined;
  const head = await registry.store.head(id);
  if (head === undefined) return 'unavailable';
  const descriptor = await registry.store.read(id, head.header.inheritedEvents);
  try {
    foldSession({ ...head.header, inheritedEvents: 0 }, descriptor.slice(0, 1));
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): DescendantDiagnostic {
  const code = errorCode(error);
  if (code === 'SESSION_DAMAGED' || code === 'STORE_DAMAGED') return 'corrupt';
  if (code === 'SESSION_UNSUPPORTED') return 'unsupported';
  return 'unavailable';
}

function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw cancelled(signal);
}

function cancelled(signal: AbortSignal | undefined): SubagentError {
  return new SubagentError('CANCELLED', 'the listing was cancelled', { cause: signal?.reason });
}
