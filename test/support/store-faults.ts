/** Which calls of a store a fault meets, and which faults there are. See faulty-store.ts. */
import type { Clock } from '../../src/ports/clock.ts';
import type { NewSessionEvent, SessionEventType } from '../../src/sessions/event.ts';

export type WriteMethod = 'create' | 'claim' | 'renew' | 'handBack' | 'append' | 'remove';
export type ReadMethod = 'head' | 'read' | 'check' | 'children' | 'pending' | 'roots';
export type StoreMethod = WriteMethod | ReadMethod;

/** One call as it reached the store. The runtime's order of calls is the order of this record. */
export interface StoreCall {
  readonly method: StoreMethod;
  /** Absent for `renew`, `pending` and `roots`. */
  readonly session: string | undefined;
  /** What is to be written by `create` and `append`; empty for the others. */
  readonly events: readonly NewSessionEvent[];
  /** Number of this write since the store was made, from 1 on; undefined for a read. */
  readonly write: number | undefined;
  /** What has become of it so far. `crashed` and `held` calls are not settled. */
  readonly state: 'passed' | 'held' | 'crashed' | 'resolved' | 'rejected';
}

/** Which call a fault meets: the n-th write from now on (from 1), or the `nth` call (default 1) that fits all that is given. */
export type FaultPlace = number | FaultMatch;
export interface FaultMatch {
  readonly method?: StoreMethod;
  readonly session?: string;
  /** A `create` or `append` that writes such an event. */
  readonly event?: SessionEventType;
  readonly nth?: number;
}

export type Fault = { readonly at: FaultPlace } /** Not done; rejects with `error`. */ & (
  | { readonly fault: 'reject'; readonly error: unknown }
  /** Not done until `release()`. A test that never releases it has a store that never answers. */
  | { readonly fault: 'hang' }
  /** After `ms` of `clock` it is done or, with `error`, rejects with that and is not. */
  | { readonly fault: 'slow'; readonly ms: number; readonly clock: Clock; readonly error?: unknown }
  /** Rejects with `OUTCOME_UNKNOWN`, and was done all the same, or (`isDone: false`) was not. */
  | { readonly fault: 'unknown'; readonly isDone?: boolean }
  /** The process ends here: neither this call nor any later one settles. Done on disk with `isDone`, else not. Go on with `inner`. */
  | { readonly fault: 'crash'; readonly isDone?: boolean }
);

/** Faults that are still to come, and how many fitting calls each lets pass before. */
export class FaultPlan {
  readonly #armed: { readonly fault: Fault; toPass: number }[] = [];

  add(fault: Fault): void {
    const nth = typeof fault.at === 'number' ? fault.at : (fault.at.nth ?? 1);
    if (!Number.isInteger(nth) || nth < 1) throw new RangeError('calls are counted from 1');
    this.#armed.push({ fault, toPass: nth - 1 });
  }

  /** Forgets the faults that are still to come. */
  clear(): void {
    this.#armed.length = 0;
  }

  /** The fault that this call meets. Every fault that fits counts the call; one that finds its call taken waits for the next. */
  take(call: StoreCall): Fault | undefined {
    const fitting = this.#armed.filter(({ fault: { at } }) =>
      typeof at === 'number' ? call.write !== undefined : fits(call, at),
    );
    const due = fitting.find(({ toPass }) => toPass === 0);
    for (const armed of fitting) if (armed.toPass > 0) armed.toPass--;
    if (due === undefined) return undefined;
    this.#armed.splice(this.#armed.indexOf(due), 1);
    return due.fault;
  }
}

export function fits(call: StoreCall, { method, session, event }: FaultMatch): boolean {
  if (method !== undefined && call.method !== method) return false;
  if (session !== undefined && call.session !== session) return false;
  return event === undefined || call.events.some(({ type }) => type === event);
}
