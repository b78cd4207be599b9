/** Puts one runtime together from its parts. */
import { createActor } from 'xstate';
import { Aborts } from '../actors/aborts.ts';
import { bounded } from '../actors/bounded.ts';
import { finalStopReason, teardownError } from '../actors/release.ts';
import type { Residency } from '../actors/residency.ts';
import type { AgentComposition } from '../agents/composition.ts';
import type { TurnDelta } from '../agents/driver.ts';
import { type CapacityLimits, defaultCapacity, defaultLimits, type Limits } from '../agents/limits.ts';
import type { SubagentError } from '../errors.ts';
import { createActivationMachine } from '../machines/activation.ts';
import { createAttachmentMachine } from '../machines/attachment.ts';
import { createRuntimeMachine, type RuntimePorts } from '../machines/runtime.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { type FaultReporter, warnOfFault } from '../ports/faults.ts';
import { type Ids, randomIds } from '../ports/ids.ts';
import type { SessionStore } from '../sessions/store.ts';
import { memoryStore } from '../sessions/stores/memory.ts';
import { Capacity } from './capacity.ts';
import { checkedPresets } from './composition-check.ts';
import { descendantsOf } from './descendants-of.ts';
import { EventHub, type SubagentRunEndInfo, type SubagentRunInfo } from './event-hub.ts';
import { activationPorts } from './ports.ts';
import { Providers } from './providers.ts';
import { recoverLost } from './recover-lost.ts';
import type { Registry } from './registry.ts';
import { resumeStranded } from './resume.ts';
import { withReturns } from './returns.ts';
import { Routes } from './routes.ts';
import { SubagentRuntime } from './runtime.ts';
import { checkedLimits, checkedStore, readOptions } from './runtime-options.ts';
import { stopChildren, stopTrees } from './stop.ts';

export interface RuntimeOptions {
  /** Where sessions live. Default: memory, lost with the process. The runtime does not close it. */
  readonly store?: SessionStore;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Any of them; the rest keep their defaults. */
  readonly limits?: Partial<Limits>;
  readonly capacity?: Partial<CapacityLimits>;
  /** Compositions that a child can be started with by name. */
  readonly presets?: Readonly<Record<string, AgentComposition>>;
  /** Hears of faults that have nobody to answer to. Default: a process warning without the error's text. */
  readonly onFault?: FaultReporter;
}

/** @internal For our own tests: other machines in place of ours. */
export interface RuntimeParts {
  readonly createActivationMachine?: typeof createActivationMachine;
}

/** Throws `INVALID_ARGUMENT` for a limit that is unknown or no non-negative number, and for a store that lacks a method. */
export function createRuntime(options: RuntimeOptions = {}): SubagentRuntime {
  return new SubagentRuntime(createRegistry(options));
}

/** @internal */
export function createRegistry(given: RuntimeOptions, parts: RuntimeParts = {}): Registry {
  const options = readOptions(given);
  const limits = checkedLimits(defaultLimits, options.limits);
  const capacity = checkedLimits(defaultCapacity, options.capacity);
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? randomIds();
  const report = faultReporter(options.onFault ?? warnOfFault);
  const hub = new EventHub(report);
  const store = withReturns(checkedStore(options.store ?? memoryStore({ clock })));
  const registry = {
    clock,
    ids,
    store,
    owner: ids.next(),
    limits,
    report,
    hub,
    providers: new Providers(hub),
    presets: checkedPresets(options.presets),
    capacity: new Capacity(capacity.perRoot, capacity.inAll),
    aborts: new Aborts(),
    residents: new Map(),
    prompts: new Map(),
    routes: new Routes(),
    recovering: Promise.resolve(),
    telling: new Map(),
    externals: new Map(),
    externalIds: new Set(),
    unfinished: new Set(),
    closing: { faults: [] as SubagentError[] },
    announceStarted: (residency: Residency) => announceStarted(registry, residency),
    announceEnded: (residency: Residency) => announceEnded(registry, residency),
    returnCapacity: (residency: Residency) => registry.capacity.giveBack(residency.root, residency),
    stopChildren: (residency: Residency) => stopChildren(registry, residency),
    resumeStranded: (released: Residency) =>
      void resumeStranded(registry, released).catch((fault: unknown) => report('resume', fault)),
    recoverLost: (released: Residency) =>
      void recoverLost(registry, released).catch((fault: unknown) => report('recovery', fault)),
    progress: (residency: Residency, delta: TurnDelta) => {
      if (hub.isObserved) hub.emit({ type: 'agent/progress', agentId: residency.id, delta });
    },
  } as unknown as Registry;
  const machine = (parts.createActivationMachine ?? createActivationMachine)(activationPorts(registry));
  const attachment = createAttachmentMachine({
    stopChildren: (id) => {
      const residency = registry.residents.get(id);
      if (residency !== undefined) stopChildren(registry, residency);
    },
  });
  const actor = createActor(createRuntimeMachine(runtimePorts(registry, keepLeases(registry))), { input: {} }).start();
  return Object.assign(registry, { machines: { activation: machine, attachment }, actor });
}

/** Renews what this runtime has claimed until it closes. Returns what stops it. */
function keepLeases(registry: Registry): () => void {
  const { clock, store, owner } = registry;
  const renew = async () => store.renew(owner); // a store that throws rejects like one that rejects
  let cancel = (): void => undefined;
  const arm = () => {
    const run = () => {
      arm();
      renew().catch((fault: unknown) => registry.report('lease', fault));
    };
    cancel = clock.schedule(store.leaseMs / 3, run, { isBackground: true });
  };
  arm();
  return () => cancel();
}

function runtimePorts(registry: Registry, stopLeases: () => void): RuntimePorts {
  return {
    stopAgents: () =>
      queueMicrotask(() => {
        const roots = [...registry.residents.values()].filter((residency) => residency.parent === undefined);
        const all = descendantsOf(roots);
        const { drainMs, notifyMs } = registry.limits;
        const { faults } = registry.closing;
        const gather = () => faults.splice(0, faults.length, ...all.map(teardownError).filter((fault) => fault !== undefined));
        const expire = registry.clock.schedule(drainMs + notifyMs * 2, () => {
          gather();
          registry.actor.send({ type: 'drain.expired' });
        });
        stopTrees(registry, roots, 'keep').then(
          () => {
            expire();
            gather();
          },
          (fault: unknown) => registry.report('close', fault),
        );
      }),
    closeResources: () => {
      const close = () => {
        stopLeases();
        registry.hub.close();
        registry.actor.send({ type: 'resources.closed' });
      };
      bounded({
        clock: registry.clock,
        ms: registry.limits.materializeMs,
        name: 'what agents that have left still do',
        run: () => Promise.all(registry.unfinished),
        done: close,
        failed: (fault) => {
          registry.report('close', fault);
          close();
        },
      });
    },
  };
}

/** Told after the transition, so that what a listener reads agrees with the event; the first turn comes later still. */
function announceStarted(registry: Registry, residency: Residency): void {
  const { parent } = residency;
  if (parent === undefined) return;
  queueMicrotask(() => registry.hub.tell(parent.id, () => ({ type: 'subagent/start', ...runInfo(residency) })));
}

function announceEnded(registry: Registry, residency: Residency): void {
  const { parent } = residency;
  if (parent === undefined) return;
  queueMicrotask(() => registry.hub.tell(parent.id, () => ({ type: 'subagent/end', ...endInfo(residency) })));
}

function endInfo(residency: Residency): SubagentRunEndInfo {
  const fault = teardownError(residency);
  const output = residency.captured?.output ?? [];
  return {
    ...runInfo(residency),
    stopReason: residency.captured?.stopReason ?? finalStopReason(residency),
    ...(output.length > 0 && { lastAssistantMessage: output }),
    ...(fault !== undefined && { error: fault.message }),
  };
}

function runInfo(residency: Residency): SubagentRunInfo {
  return {
    runId: residency.runId,
    provider: residency.provider,
    id: residency.childId,
    local: residency.kind !== 'external',
    parentId: residency.parent?.childId ?? '',
    label: residency.agent.label,
    depth: residency.agent.depth,
  };
}

function faultReporter(onFault: FaultReporter): Registry['report'] {
  return (where, error) => {
    try {
      const answer: unknown = onFault({ where, error });
      if (answer instanceof Promise) answer.catch(() => undefined); // a reporter that fails has nobody left to tell
    } catch {
      // the reporter itself threw; there is nobody left to tell
    }
  };
}
