/** One runtime with one parent, and the provider under test registered in it. */
import type { Agent } from '../../../agents/agent.ts';
import type { SubagentActivation, SubagentActivationSpec } from '../../../providers/contract.ts';
import { createRegistry } from '../../../registry/create-runtime.ts';
import type { SubagentEvent } from '../../../registry/event-hub.ts';
import type { Registry } from '../../../registry/registry.ts';
import { SubagentRuntime } from '../../../registry/runtime.ts';
import type { OpenAgent } from '../../../registry/top-level-handle.ts';
import type { ProviderConformance, ProviderPrompts, ProviderSubject } from '../provider.ts';
import { type Time, timeFor } from '../time.ts';
import { ownPrompts, type PromptedDriver, promptedDriver } from './prompted-driver.ts';
import { type WatchedProvider, watchedProvider } from './watched-provider.ts';
import { type WatchedStore, watchedStore } from './watched-store.ts';

/** Beyond the prompt: provider, label, parent, delivery and a signal of its own are given. */
export interface StartSetup
  extends Partial<Pick<SubagentActivationSpec, 'childId' | 'signal' | 'delivery' | 'label'>>,
    Partial<Omit<SubagentActivationSpec['request'], 'prompt' | 'parent'>> {}

export interface ProviderWorld {
  readonly conformance: ProviderConformance;
  readonly subject: ProviderSubject;
  readonly time: Time;
  readonly prompts: ProviderPrompts;
  readonly provider: WatchedProvider;
  readonly store: WatchedStore;
  readonly registry: Registry;
  readonly runtime: SubagentRuntime;
  readonly root: OpenAgent;
  readonly parent: Agent;
  /** The suite's own driver, unless the author brought a composition. */
  readonly driver: PromptedDriver | undefined;
  /** Everything that the runtime told, in order. */
  readonly events: readonly SubagentEvent[];
  /** What each child was published under. */
  readonly published: ReadonlySet<string>;
  /** Starts a child. */
  start(prompt: string, setup?: StartSetup): Promise<SubagentActivation>;
  /** The same, within the patience of the suite. */
  started(prompt: string, setup?: StartSetup): Promise<SubagentActivation>;
  unregister(): void;
}

/** The preset that a child can be asked to be. */
export const presetName = 'conformance';

export async function openWorld(conformance: ProviderConformance): Promise<ProviderWorld> {
  const time = timeFor(conformance);
  const subject = await conformance.create({ clock: time.clock });
  const driver = promptedDriver();
  const composition = subject.composition ?? { driver };
  const store = watchedStore(time.clock);
  const registry = createRegistry({
    ...{ store, clock: time.clock, presets: { [presetName]: composition } },
    ...(conformance.limits !== undefined && { limits: conformance.limits }),
    onFault: () => undefined, // what matters shows in what the calls answer
  });
  const runtime = new SubagentRuntime(registry);
  const provider = watchedProvider(subject.provider);
  const events: SubagentEvent[] = [];
  runtime.events$.subscribe((event) => void events.push(event));
  const unregister = runtime.registerProvider(provider);
  const root = await runtime.openAgent({ label: 'parent', composition, cwd: conformance.cwd ?? '/project' });
  const published = new Set<string>();
  const start = async (prompt: string, setup: StartSetup = {}) => {
    const child = await runtime.startActivation(specOf(provider.name, root.agent, prompt, setup));
    published.add(child.childId);
    return child;
  };
  return {
    ...{ conformance, subject, time, provider, store, registry, runtime, root, events, published, start, unregister },
    prompts: conformance.prompts ?? ownPrompts,
    parent: root.agent,
    driver: subject.composition === undefined ? driver : undefined,
    started: (prompt, setup) => time.settled(start(prompt, setup), 'a start is answered'),
  };
}

function specOf(provider: string, parent: Agent, prompt: string, setup: StartSetup): SubagentActivationSpec {
  const { childId, label = 'worker', delivery = 'caller', signal = new AbortController().signal, ...request } = setup;
  return {
    ...{ provider, label, delivery, signal },
    ...(childId !== undefined && { childId }),
    request: { ...request, parent, prompt: [{ type: 'text', text: prompt }] },
  };
}
