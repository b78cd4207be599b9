/**
 * Providers that do as the test says. `scriptedProvider` makes external children, with a gate at each await; `scriptedLocalProvider`
 * makes local ones, with a gate in `prepareContinuable`.
 *
 *     const remote = scriptedProvider();
 *     remote.plan({ startAt: place, ignoresSignal: true }, {});   // for the first and second start; later ones are plain
 *     (await remote.run(1)).settle({ output: [], stopReason: 'completed' });
 */

import type { Clock } from '../../src/ports/clock.ts';
import type {
  ContinuableCreateRequest,
  ContinuableCreateSpec,
  ResolvedSubagentStartRequest,
  SubagentCapabilities,
  SubagentProvider,
  SubagentResult,
  SubagentRun,
} from '../../src/providers/contract.ts';
import { type Gate, unlessAborted } from './gate.ts';

export interface RunPlan {
  /** Default: `remote-1`, `remote-2`, … */
  readonly id?: string;
  /** `start` waits here. */
  readonly startAt?: Gate;
  /** Goes on with its start when the signal fires. Otherwise it cleans up and rejects, as it must (S7.8). */
  readonly ignoresSignal?: boolean;
  /** `start` rejects with it. */
  readonly startError?: unknown;
  /** The run has ended before `start` returns, with exactly this. */
  readonly result?: SubagentResult;
  readonly resultError?: unknown;
  /** A timer that the run holds until it is disposed. */
  readonly timer?: { readonly clock: Clock; readonly ms: number };
  /** `dispose` waits here. */
  readonly disposeAt?: Gate;
  readonly disposeError?: unknown;
  /** `dispose` throws before it returns a promise. */
  readonly disposeThrows?: unknown;
  /** Its result stays open when it is disposed. Otherwise it settles as `aborted`. */
  readonly neverSettles?: boolean;
}

export interface ScriptedRun extends SubagentRun {
  readonly request: ResolvedSubagentStartRequest;
  /** The signal that the provider was given. */
  readonly signal: AbortSignal;
  /** How often `dispose` was called. */
  readonly disposals: number;
  /** Whether a disposal has come to its end. */
  readonly isGone: boolean;
  settle(result?: Partial<SubagentResult>): void;
  reject(error: unknown): void;
}

export interface ScriptedProvider extends SubagentProvider {
  /** For the next starts, in order. */
  plan(...plans: readonly RunPlan[]): void;
  /** Every request, in order, also those that came to nothing. */
  readonly requests: readonly ResolvedSubagentStartRequest[];
  /** Every run that `start` returned, in order. */
  readonly runs: readonly ScriptedRun[];
  /** Resolves when the n-th run (default 1) was returned. */
  run(nth?: number): Promise<ScriptedRun>;
  /** Starts that cleaned up after their signal had fired. */
  readonly cleanedUp: number;
}

export interface ScriptedProviderOptions {
  readonly name?: string;
  readonly capabilities?: Partial<SubagentCapabilities>;
  readonly agentRouteDefaults?: SubagentProvider['agentRouteDefaults'];
  readonly inheritsParentContext?: boolean;
}

const all: SubagentCapabilities = { agentOptions: true, agentPreset: true, outputSchema: true, depthLimit: true };

export function scriptedProvider(options: ScriptedProviderOptions = {}): ScriptedProvider {
  const { name = 'remote', capabilities, agentRouteDefaults, inheritsParentContext = false } = options;
  const plans: RunPlan[] = [];
  const requests: ResolvedSubagentStartRequest[] = [];
  const runs: ScriptedRun[] = [];
  const watchers = new Set<() => void>();
  let cleanedUp = 0;
  return {
    name,
    capabilities: { ...all, ...capabilities },
    inheritsParentContext,
    ...(agentRouteDefaults !== undefined && { agentRouteDefaults }),
    requests,
    runs,
    get cleanedUp() {
      return cleanedUp;
    },
    plan: (...added) => void plans.push(...added),
    run: (nth = 1) =>
      new Promise((resolve) => {
        const look = () => {
          const run = runs[nth - 1];
          if (run === undefined) return;
          watchers.delete(look);
          resolve(run);
        };
        watchers.add(look);
        look();
      }),
    async start(request) {
      const plan = plans.shift() ?? {};
      requests.push(request);
      const id = plan.id ?? `remote-${requests.length}`;
      if (plan.startAt !== undefined) {
        if (plan.ignoresSignal === true) await plan.startAt.pass();
        else if (await unlessAborted(plan.startAt.pass(), request.signal)) {
          cleanedUp++;
          throw new Error('the start was stopped');
        }
      }
      if (plan.startError !== undefined) throw plan.startError;
      const run = scriptedRun(id, request, plan);
      runs.push(run);
      for (const look of watchers) look();
      return run;
    },
  };
}

function scriptedRun(id: string, request: ResolvedSubagentStartRequest, plan: RunPlan): ScriptedRun {
  const { promise, resolve, reject } = Promise.withResolvers<SubagentResult>();
  const settle = (result: Partial<SubagentResult> = {}) => resolve({ output: [], stopReason: 'completed', ...result });
  if ('result' in plan) resolve(plan.result as SubagentResult);
  if (plan.resultError !== undefined) reject(plan.resultError);
  const cancel = plan.timer?.clock.schedule(plan.timer.ms, () => undefined);
  let disposals = 0;
  let isGone = false;
  return {
    id,
    request,
    signal: request.signal,
    result: promise,
    get disposals() {
      return disposals;
    },
    get isGone() {
      return isGone;
    },
    settle,
    reject,
    dispose() {
      disposals++;
      if (plan.disposeThrows !== undefined) throw plan.disposeThrows;
      return (async () => {
        await plan.disposeAt?.pass();
        cancel?.();
        if (plan.neverSettles !== true) settle({ stopReason: 'aborted' });
        if (plan.disposeError !== undefined) throw plan.disposeError;
        isGone = true;
      })();
    },
  };
}

export interface ScriptedLocalProvider extends SubagentProvider {
  readonly requests: readonly ContinuableCreateRequest[];
}

/** A provider of local children whose `prepareContinuable` does as `prepare` does. */
export function scriptedLocalProvider(
  prepare: (request: ContinuableCreateRequest) => ContinuableCreateSpec | Promise<ContinuableCreateSpec>,
  options: ScriptedProviderOptions = {},
): ScriptedLocalProvider {
  const { name = 'local', capabilities, agentRouteDefaults, inheritsParentContext = false } = options;
  const requests: ContinuableCreateRequest[] = [];
  return {
    name,
    capabilities: { ...all, agentPreset: !inheritsParentContext, ...capabilities },
    inheritsParentContext,
    ...(agentRouteDefaults !== undefined && { agentRouteDefaults }),
    requests,
    prepareContinuable(request) {
      requests.push(request);
      return prepare(request);
    },
  };
}
