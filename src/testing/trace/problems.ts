/** The judge: holds a recorded trace against every rule. Synchronous, and in time that grows with the number of events. */
import { judgeActivations } from './activations.ts';
import { judgeBirths } from './births.ts';
import { judgeCalls } from './calls.ts';
import { judgeCatalogs } from './catalogs.ts';
import { judgeHeaders } from './headers.ts';
import { judgeMail } from './mail.ts';
import { judgeNotices } from './notices.ts';
import type { StoredTrace } from './read-store.ts';
import { judgeResults } from './results.ts';
import { type TraceRuleName, traceRules } from './rules.ts';
import { judgeSettled } from './settled.ts';
import { judgeSources } from './sources.ts';
import { judgeStore } from './store-account.ts';
import { type RecordedSession, type Say, type Trace, type TraceProblem, traceOf } from './trace.ts';
import { judgeTurns } from './turns.ts';

export interface TraceOptions {
  /**
   * Absent: what holds at every moment, also after a crash. `settled`: and everything came to rest without a fault, so that
   * nothing is left to do, to tell or to take back.
   */
  readonly expects?: 'settled';
  /**
   * Top-level agents that their host runs (`attachAgent`): what they are told is not in their logs. One whose log has neither
   * a turn nor an end is taken for such an agent without being named.
   */
  readonly hostRun?: Iterable<string>;
  /** Rules that are not asked: of a trace that is known to break them. */
  readonly except?: readonly TraceRuleName[];
}

const judges: readonly ((trace: Trace, say: Say) => void)[] = [
  judgeHeaders,
  judgeBirths,
  judgeMail,
  judgeSources,
  judgeTurns,
  judgeCalls,
  judgeActivations,
  judgeResults,
  judgeCatalogs,
  judgeNotices,
  judgeSettled,
];

/** What is wrong with sessions that are all there is: in the order of the rules, and of the sessions for each. */
export function traceProblems(sessions: readonly RecordedSession[], options: TraceOptions = {}): TraceProblem[] {
  return judged(sessions, options);
}

/** The same, held against the accounts of the store from which the sessions were read. */
export function judged(
  sessions: readonly RecordedSession[],
  { expects, hostRun = [], except = [] }: TraceOptions,
  stored?: StoredTrace,
): TraceProblem[] {
  const problems: TraceProblem[] = [];
  const asks = (rule: TraceRuleName) => (traceRules[rule].holds !== 'settled' || expects === 'settled') && !except.includes(rule);
  const say: Say = (rule, { id }, what, event) => {
    if (asks(rule)) problems.push({ rule, session: id, ...(typeof event?.seq === 'number' && { seq: event.seq }), what });
  };
  const trace = traceOf(sessions, new Set(hostRun));
  for (const judge of judges) judge(trace, say);
  if (stored !== undefined) judgeStore(stored, trace, say);
  return problems;
}
