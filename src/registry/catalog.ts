/** Reading what agents delegated and what came of it. No child is opened for a listing (S6.3). */
import { errorCode, SessionQueryError } from '../errors.ts';
import type { ContentBlock, TranscriptEntry } from '../sessions/content.ts';
import type { ChildMode, SessionEvent, SessionEventMap, SessionHeader } from '../sessions/event.ts';
import { toSessionId } from '../sessions/ids.ts';
import type { JsonValue } from '../sessions/json.ts';
import { oneLine } from '../sessions/one-line.ts';
import { signalOf } from '../sessions/outside.ts';
import { foldTranscript } from '../sessions/transcript.ts';
import { lastWords } from './past-result.ts';
import type { Registry } from './registry.ts';
import { untilAborted } from './until-aborted.ts';

/** Membership, never status. */
export interface SubagentCatalogEntry {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly mode: ChildMode;
  readonly label?: string;
}

export interface SessionRecord {
  readonly header: SessionHeader;
  readonly events: readonly SessionEvent[];
  readonly transcript: readonly TranscriptEntry[];
}

export interface WholeResult {
  readonly output: readonly ContentBlock[];
  readonly structured?: JsonValue;
}

/** The direct children of one agent in the order of their start. Rejects `SessionQueryError`. */
export async function listChildren(
  registry: Registry,
  parentId: string,
  signal?: AbortSignal,
): Promise<readonly SubagentCatalogEntry[]> {
  return query(signal, async () => {
    const entries = await registry.store.children(toSessionId(parentId));
    return entries.map(({ data }) => readEntry(data));
  });
}

const modes: ReadonlySet<unknown> = new Set<ChildMode>(['one-shot', 'continuable', 'external', 'unknown']);

/** An entry as it may be shown. One that another version wrote in words of its own stays visible, as `unknown` (S6.2). */
export function readEntry(data: SessionEventMap['subagent/child']): SubagentCatalogEntry {
  const { id, createdAt, mode, label } = data;
  return {
    id,
    createdAt,
    mode: modes.has(mode) ? mode : 'unknown',
    ...(typeof label === 'string' && { label: oneLine(label) }),
  };
}

export async function readSession(registry: Registry, id: string, signal?: AbortSignal): Promise<SessionRecord> {
  return query(signal, async () => {
    const sessionId = toSessionId(id);
    const head = await registry.store.head(sessionId);
    if (head === undefined) throw new SessionQueryError('SESSION_NOT_FOUND', `there is no session ${id}`);
    const events = await registry.store.read(sessionId);
    return { header: head.header, events, transcript: foldTranscript(events) };
  });
}

/** The whole of what the last activation of a local child said, however large; a notice or result holds at most `resultBytes` of it. */
export async function readResult(registry: Registry, id: string, signal?: AbortSignal): Promise<WholeResult> {
  const { events } = await readSession(registry, id, signal);
  return lastWords(events);
}

async function query<Value>(given: AbortSignal | undefined, read: () => Promise<Value>): Promise<Value> {
  const signal = signalOf(given);
  const cancelled = () => new SessionQueryError('CANCELLED', 'the query was cancelled', { cause: signal?.reason });
  if (signal?.aborted === true) throw cancelled();
  try {
    return await untilAborted(read(), signal, cancelled);
  } catch (error) {
    if (error instanceof SessionQueryError) throw error;
    throw new SessionQueryError(errorCode(error) ?? 'STORE_FAILED', 'the session could not be read', { cause: error });
  }
}
