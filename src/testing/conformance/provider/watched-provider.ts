/** The provider under test, with an eye on everything that passes between it and the runtime. */
import type {
  ContinuableCreateRequest,
  ResolvedSubagentStartRequest,
  SubagentProvider,
  SubagentRun,
} from '../../../providers/contract.ts';

/** Holds an answer back until it lets it go. */
export interface Pass {
  pass(): Promise<void>;
}

/** What the suite may put between provider and runtime, each for the next start. */
export interface Holds {
  /** Passed when the provider has answered a start, before the runtime hears of it. */
  start?: Pass;
  result?: Pass;
  disposal?: Pass;
}

export interface WatchedStart {
  readonly request: ResolvedSubagentStartRequest | ContinuableCreateRequest;
  /** Of an external child, once the provider gave it. */
  run: SubagentRun | undefined;
  /** How the provider answered. */
  answer: 'none' | 'fulfilled' | 'rejected';
  disposals: number;
  /** Whether the signal had fired when `dispose` was called first. */
  wasSignalled: boolean;
}

export interface WatchedProvider extends SubagentProvider {
  readonly starts: readonly WatchedStart[];
  holds: Holds;
}

export function watchedProvider(inner: SubagentProvider): WatchedProvider {
  const starts: WatchedStart[] = [];
  const watch = (request: WatchedStart['request']): WatchedStart => {
    const start: WatchedStart = { request, run: undefined, answer: 'none', disposals: 0, wasSignalled: false };
    starts.push(start);
    return start;
  };
  const answered = async <Value>(
    start: WatchedStart,
    { start: hold }: Holds,
    work: () => Promise<Value> | Value,
  ): Promise<Value> => {
    try {
      const value = await work();
      start.answer = 'fulfilled';
      return value;
    } catch (error) {
      start.answer = 'rejected';
      throw error;
    } finally {
      await hold?.pass();
    }
  };
  const watched: WatchedProvider = {
    ...{ name: inner.name, capabilities: inner.capabilities, inheritsParentContext: inner.inheritsParentContext },
    ...(inner.agentRouteDefaults !== undefined && { agentRouteDefaults: inner.agentRouteDefaults }),
    starts,
    holds: {},
    ...(inner.start !== undefined && {
      async start(request: ResolvedSubagentStartRequest) {
        const { holds } = watched;
        const start = watch(request);
        const run = await answered(start, holds, () => (inner.start as NonNullable<typeof inner.start>)(request));
        start.run = run;
        return isRun(run) ? watchedRun(run, start, holds) : run;
      },
    }),
    ...(inner.prepareContinuable !== undefined && {
      prepareContinuable(request: ContinuableCreateRequest) {
        return answered(watch(request), watched.holds, () =>
          (inner.prepareContinuable as NonNullable<typeof inner.prepareContinuable>)(request),
        );
      },
    }),
  };
  return watched;
}

/** What is no run is the runtime's to refuse. */
export function isRun(run: unknown): run is SubagentRun {
  const { id, result, dispose } = (run ?? {}) as Partial<SubagentRun>;
  return typeof id === 'string' && result instanceof Promise && typeof dispose === 'function';
}

function watchedRun(run: SubagentRun, start: WatchedStart, { result, disposal }: Holds): SubagentRun {
  return {
    id: run.id,
    result: result === undefined ? run.result : heldBack(run.result, result),
    dispose() {
      if (start.disposals++ === 0) start.wasSignalled = start.request.signal.aborted;
      const work = (async () => run.dispose())();
      return disposal === undefined ? work : heldBack(work, disposal);
    },
  };
}

async function heldBack<Value>(work: Promise<Value>, hold: Pass): Promise<Value> {
  try {
    return await work;
  } finally {
    await hold.pass();
  }
}
