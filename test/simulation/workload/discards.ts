/** What was accepted and never claimed is thrown away only by `dispose()`: of the agent, or of one above it (S3.5, S4.3). */
import type { RecordedSession } from '../../../src/testing/trace/trace.ts';
import type { Ledger } from './ledger.ts';

const marks = /#[a-z0-9]+-\d+#/;

export function discardProblems(ledger: Ledger, sessions: readonly RecordedSession[]): string[] {
  const byId = new Map(sessions.map((session) => [session.header.id as string, session]));
  const kept = new Set(
    ledger.sent.flatMap(({ kind, outcome, mark, isCancelled }) =>
      kind === 'start' && outcome === 'done' && !isCancelled ? [mark] : [],
    ),
  );

  /** Nobody but the host holds its handle, and the host did not dispose of it. */
  const isKept = ({ header, events }: RecordedSession): boolean => {
    if (header.parentSession === undefined) return true;
    if (ledger.disposed.has(header.id)) return false;
    const parent = byId.get(header.parentSession);
    return kept.has(startOf({ header, events }) ?? '') && parent !== undefined && isKept(parent);
  };

  return sessions.flatMap((session) => {
    const { header, events } = session;
    const discarded = events
      .slice(header.inheritedEvents)
      .find((event) => event.type === 'inbox/discarded' && event.data.reason === 'disposed');
    return discarded !== undefined && isKept(session) ? [`mail of ${header.id} was thrown away, and nobody disposed of it`] : [];
  });
}

/** The mark in the prompt that a child was started with. */
function startOf({ header, events }: RecordedSession): string | undefined {
  const prompt = events[header.inheritedEvents + 1];
  if (prompt?.type !== 'inbox/inserted' || prompt.data.source.kind !== 'delegation') return undefined;
  const [block] = prompt.data.content;
  return block?.type === 'text' ? marks.exec(block.text)?.[0] : undefined;
}
