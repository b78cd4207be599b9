/** One group of calls in one transaction. Decides what became of it; the queue decides what that means for the callers. */
import { SubagentError } from '../../../errors.ts';
import { type Database, faultOf, type Statement } from './database.ts';

export interface Call {
  readonly isWrite: boolean;
  /** Checks first and writes afterwards: a `SubagentError` that it throws is a refusal, and nothing of it was written. */
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: SubagentError) => void;
}

export type CallOutcome = { readonly value: unknown } | { readonly refusal: SubagentError };

export type GroupOutcome =
  | { readonly kind: 'committed'; readonly calls: readonly CallOutcome[]; readonly commits: number | undefined }
  /** Somebody else is writing. Nothing happened. */
  | { readonly kind: 'busy' }
  /** One call broke in mid-write. Everything was rolled back; the others can go again without it. */
  | { readonly kind: 'broken'; readonly call: Call; readonly error: SubagentError }
  /** Nothing was written. */
  | { readonly kind: 'full'; readonly cause: unknown }
  /** Nothing was written if there are no `calls`; else the commit itself failed, and what `calls` wrote may be on disk. */
  | { readonly kind: 'failed'; readonly cause: unknown; readonly calls: readonly CallOutcome[] };

/** `countCommit` returns the number of the commit that it is part of. */
export function commitGroup(database: Database, countCommit: Statement, group: readonly Call[]): GroupOutcome {
  try {
    database.exec('begin immediate');
  } catch (cause) {
    return giveUp(cause, []);
  }
  const calls: CallOutcome[] = [];
  for (const call of group) {
    try {
      calls.push({ value: call.run() });
    } catch (error) {
      if (error instanceof SubagentError) {
        calls.push({ refusal: error });
        continue;
      }
      rollBack(database);
      const fault = faultOf(error);
      if (fault === 'damaged' || fault === 'tooBig' || fault === 'foreign')
        return { kind: 'broken', call, error: callError(error) };
      return giveUp(error, []);
    }
  }
  return commit(database, countCommit, group, calls);
}

function commit(database: Database, countCommit: Statement, group: readonly Call[], calls: readonly CallOutcome[]): GroupOutcome {
  const hasWritten = group.some((call, index) => call.isWrite && 'value' in (calls[index] ?? {}));
  if (!hasWritten) {
    rollBack(database);
    return { kind: 'committed', calls, commits: undefined };
  }
  let commits: number | undefined;
  try {
    commits = (countCommit.get() as { commits: number }).commits;
    database.exec('commit');
  } catch (cause) {
    rollBack(database);
    return giveUp(cause, commits === undefined ? [] : calls);
  }
  return { kind: 'committed', calls, commits };
}

/** `calls` is empty before the commit. */
function giveUp(cause: unknown, calls: readonly CallOutcome[]): GroupOutcome {
  const fault = faultOf(cause);
  switch (fault === 'indexFull' && calls.length === 0 ? 'full' : fault) {
    case 'busy':
      return { kind: 'busy' };
    case 'full':
      return { kind: 'full', cause };
    default:
      return { kind: 'failed', cause, calls };
  }
}

/** What an unexpected error of a single call means. */
export function callError(error: unknown): SubagentError {
  switch (faultOf(error)) {
    case 'damaged':
      return new SubagentError('STORE_DAMAGED', 'the store is damaged', { cause: error });
    case 'tooBig':
      return new SubagentError('INVALID_ARGUMENT', 'the value is larger than the store can hold', { cause: error });
    default:
      return new SubagentError('STORE_FAILED', 'the store could not do this', { cause: error });
  }
}

export function rollBack(database: Database): void {
  try {
    database.exec('rollback');
  } catch {
    // SQLite has rolled back by itself, as it does when the disk is full or fails: no transaction is left to end.
  }
}
