/** Says of any recorded sessions, a database or a list, whether they obey the contract. */
import { AssertionError } from 'node:assert/strict';
import type { SessionStore } from '../../sessions/store.ts';
import { judged, type TraceOptions } from './problems.ts';
import { readStore } from './read-store.ts';
import type { RecordedSession, TraceProblem } from './trace.ts';

export interface StoreTraceOptions extends TraceOptions {
  /** Sessions of a store that no catalog may list, and that owe nothing: nobody else names them. Ids that are unknown are left out. */
  readonly ids?: Iterable<string>;
}

export interface TraceReport {
  readonly problems: readonly TraceProblem[];
  /** How many were judged. */
  readonly sessions: number;
  readonly events: number;
}

/**
 * A store is walked from its top-level sessions through the catalogs, and by what it says is owed. Others may write to it
 * meanwhile, but then nothing is at rest. Rejects with what the store rejects with: what cannot be read cannot be judged.
 */
export async function checkTrace(
  recorded: SessionStore | readonly RecordedSession[],
  options: StoreTraceOptions = {},
): Promise<TraceReport> {
  const stored = isStore(recorded) ? await readStore(recorded, options.ids ?? []) : undefined;
  const sessions = stored?.sessions ?? (recorded as readonly RecordedSession[]);
  const problems = judged(sessions, options, stored);
  return {
    problems,
    sessions: sessions.length,
    events: sessions.reduce((sum, session) => sum + (session?.events?.length ?? 0), 0),
  };
}

/** For tests. Rejects with one `AssertionError` that names every problem, a line each. */
export async function assertTrace(
  recorded: SessionStore | readonly RecordedSession[],
  options: StoreTraceOptions = {},
): Promise<TraceReport> {
  const report = await checkTrace(recorded, options);
  const { problems, sessions, events } = report;
  if (problems.length === 0) return report;
  throw new AssertionError({
    message: `${problems.length} problems in ${sessions} sessions with ${events} events:\n${problems.map(describeProblem).join('\n')}`,
    actual: problems,
    expected: [],
    operator: 'assertTrace',
  });
}

/** One line: rule, session and event, then what is wrong. */
export function describeProblem({ rule, session, seq, what }: TraceProblem): string {
  return `${rule}: ${session}${seq === undefined ? '' : `, event ${seq}`}: ${what}`;
}

function isStore(recorded: SessionStore | readonly RecordedSession[]): recorded is SessionStore {
  return !Array.isArray(recorded);
}
