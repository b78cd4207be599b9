/**
 * One runtime under test, with everything it reaches in the hands of the test: the clock, the ids, the store, the driver. After
 * each test every world is closed, and nothing may be left of it: no agent, no capacity, no timer, no fault that the test did
 * not announce. What its store holds then obeys the contract (traces.ts).
 *
 *     const world = openWorld({ capacity: { perRoot: 3 } });
 *     world.driver.script('worker', [says('done')]);
 *     const root = await world.openRoot();
 *     const child = await world.start(root.agent, { label: 'worker' });
 *     expect(await child.result).toMatchObject({ stopReason: 'completed' });
 *     expect(await world.typesOf(child.childId)).toContain('activation/ended');
 */
import { afterEach, expect } from 'vitest';
import type { Residency } from '../../src/actors/residency.ts';
import type { Agent } from '../../src/agents/agent.ts';
import type { AgentComposition } from '../../src/agents/composition.ts';
import { createRegistry, type Registry, type RuntimeParts, SubagentRuntime } from '../../src/internal.ts';
import type { Ids } from '../../src/ports/ids.ts';
import type { SubagentActivation, SubagentActivationSpec } from '../../src/providers/contract.ts';
import { forkProvider } from '../../src/providers/fork.ts';
import { spawnProvider } from '../../src/providers/spawn.ts';
import type { RuntimeOptions } from '../../src/registry/create-runtime.ts';
import type { AttachAgentSetup, OpenAgentSetup } from '../../src/registry/top-level.ts';
import type { AttachedAgent, OpenAgent } from '../../src/registry/top-level-handle.ts';
import { type ContentBlock, textOf } from '../../src/sessions/content.ts';
import type { SessionEvent, SessionEventOf, SessionEventType } from '../../src/sessions/event.ts';
import { type SessionId, toSessionId } from '../../src/sessions/ids.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import type { TraceRuleName } from '../../src/testing/trace/rules.ts';
import { defaultStore, restingRounds } from './default-store.ts';
import { type EventRecord, recordEvents } from './event-record.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { type ScriptedDriver, scriptedDriver } from './scripted-driver.ts';
import { TraceWatch } from './trace-watch.ts';

export interface WorldSetup extends Pick<RuntimeOptions, 'limits' | 'capacity' | 'presets'> {
  readonly clock?: ManualClock;
  /** What lies under the faulty store. Default: memory. Give `inner` of an earlier world to go on after a crash. */
  readonly store?: (clock: ManualClock) => SessionStore;
  readonly driver?: ScriptedDriver;
  readonly ids?: Ids;
  readonly parts?: RuntimeParts;
}

/** What a start needs beyond its defaults: provider `spawn`, label `worker`, prompt `go`, delivery `parent`, a signal of its own. */
export interface StartSetup
  extends Partial<Omit<SubagentActivationSpec, 'request'>>,
    Partial<Omit<SubagentActivationSpec['request'], 'parent' | 'prompt'>> {
  readonly prompt?: string | readonly ContentBlock[];
}

export interface World {
  readonly clock: ManualClock;
  readonly store: FaultyStore;
  readonly driver: ScriptedDriver;
  readonly composition: AgentComposition;
  readonly runtime: SubagentRuntime;
  /** The runtime's inside. */
  readonly registry: Registry;
  readonly events: EventRecord;
  /** Every fault that was reported, in order. */
  readonly faults: readonly { readonly where: string; readonly error: unknown }[];
  /** Faults at these places are part of the test, and each of them must come. `close`: the final close rejects. */
  expectFaults(...places: readonly string[]): void;
  /** Faults at these places may come or not. */
  tolerateFaults(...places: readonly string[]): void;
  /** Says that this world ends as a process does that dies: it is not closed after the test, and only its logs are checked. */
  abandon(): void;
  /** The test writes foreign or damaged logs by hand: they break these rules, each of them, and nothing is said of it. */
  expectTraceProblems(...rules: readonly TraceRuleName[]): void;
  openRoot(setup?: Partial<OpenAgentSetup>): Promise<OpenAgent>;
  attachRoot(setup?: Partial<AttachAgentSetup>): Promise<AttachedAgent>;
  start(parent: Agent, setup?: StartSetup): Promise<SubagentActivation>;
  /** The agent that lives under this id now. Throws if there is none. */
  resident(childId: string): Residency;
  isResident(childId: string): boolean;
  /** Resolves when nobody lives under this id. */
  gone(childId: string): Promise<void>;
  /** Activations that hold capacity. */
  readonly live: number;
  log(id: string): Promise<readonly SessionEvent[]>;
  logOf<Type extends SessionEventType>(id: string, type: Type): Promise<readonly SessionEventOf<Type>[]>;
  typesOf(id: string): Promise<readonly SessionEventType[]>;
  /** Texts of the messages of a session in order of acceptance. */
  inserted(id: string): Promise<readonly string[]>;
  hasSession(id: string): Promise<boolean>;
  /** Lets all that is under way come to rest, without moving time. */
  rest(): Promise<void>;
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** `n00000000000000000000000001`, and so on. Worlds that share a store need a prefix each, and have one if they name no ids. */
export function countedIds(prefix = 'n'): Ids {
  let count = 0;
  return { next: () => `${prefix}${String(++count).padStart(26 - prefix.length, '0')}` };
}

/** Of the ids of worlds that share a store, in the order of their opening. */
const prefixes = 'nrstuvwxyz';

export function openWorld(setup: WorldSetup = {}): World {
  const clock = setup.clock ?? manualClock();
  const store = faultyStore((setup.store ?? defaultStore)(clock));
  const trace = new TraceWatch(store);
  const ids = setup.ids ?? countedIds(prefixes.charAt(trace.place));
  const driver = setup.driver ?? scriptedDriver();
  const composition: AgentComposition = { driver };
  const faults: { where: string; error: unknown }[] = [];
  const expected = new Set<string>();
  const tolerated = new Set<string>();
  const { limits, capacity, presets } = setup;
  const timersBefore = clock.pendingTimers;
  const registry = createRegistry(
    {
      ...{ clock, store, ids, onFault: (fault) => void faults.push(fault) },
      ...(limits !== undefined && { limits }),
      ...(capacity !== undefined && { capacity }),
      ...(presets !== undefined && { presets }),
    },
    setup.parts,
  );
  const runtime = new SubagentRuntime(registry);
  runtime.registerProvider(spawnProvider());
  runtime.registerProvider(forkProvider());
  const events = recordEvents(runtime.events$);
  let isAbandoned = false;
  const resident = (childId: string) => registry.residents.get(childId) ?? registry.externals.get(childId);
  const log = (id: string) => store.inner.read(toSessionId(id));

  const world: World = {
    ...{ clock, store, driver, composition, runtime, registry, events, faults, log },
    expectFaults: (...places) => {
      for (const place of places) expected.add(place);
    },
    tolerateFaults: (...places) => {
      for (const place of places) tolerated.add(place);
    },
    abandon: () => {
      isAbandoned = true;
    },
    expectTraceProblems: (...rules) => trace.expect(rules),
    openRoot: (given) => runtime.openAgent({ label: 'root', cwd: '/project', composition, ...given }),
    attachRoot: async (given) => {
      const root = await runtime.attachAgent({ label: 'root', cwd: '/project', composition, deliver: () => undefined, ...given });
      trace.hostRuns(root.id);
      return root;
    },
    start: (parent, given) => runtime.startActivation(specOf(parent, given)),
    resident(childId) {
      const found = resident(childId);
      if (found === undefined) throw new Error(`no agent lives under ${childId}`);
      return found;
    },
    isResident: (childId) => resident(childId) !== undefined,
    async gone(childId) {
      await resident(childId)?.whenReleased();
    },
    get live() {
      return registry.capacity.live;
    },
    async logOf(id, type) {
      return (await log(id)).filter((event) => event.type === type) as never;
    },
    typesOf: async (id) => (await log(id)).map(({ type }) => type),
    inserted: async (id) => (await world.logOf(id, 'inbox/inserted')).map(({ data }) => textOf(data.content)),
    hasSession: async (id) => (await store.inner.head(id as SessionId)) !== undefined,
    async rest() {
      for (let round = 0; round < restingRounds(); round++) await clock.advanceAndSettle(0);
    },
    async advance(ms) {
      await world.rest();
      await clock.advanceAndSettle(ms);
      await world.rest();
    },
    close: () => runtime.close(),
  };
  opened.push(async () => {
    if (isAbandoned || store.isCrashed) return trace.check(false);
    store.release();
    await closed(world, faults);
    expect([...registry.residents.keys()], 'agents that are left').toEqual([]);
    expect([...registry.externals.keys()], 'external children that are left').toEqual([]);
    expect(registry.capacity.live, 'capacity that is still taken').toBe(0);
    expect(clock.pendingTimers, 'timers that are still set').toBe(timersBefore);
    const unexpected = faults.filter(({ where }) => !expected.has(where) && !tolerated.has(where));
    if (unexpected.length > 0)
      throw new AggregateError(
        unexpected.map(({ error }) => error),
        `unexpected faults: ${unexpected.map(({ where, error }) => `${where}: ${String(error)}`).join('; ')}`,
      );
    const places = faults.map(({ where }) => where);
    expect(
      [...expected].filter((place) => !places.includes(place)),
      'expected faults that did not come',
    ).toEqual([]);
    const isWellEnded = events.of('subagent/end').every(({ error }) => error === undefined);
    await trace.check(faults.length === 0 && isWellEnded);
  });
  return world;
}

function specOf(parent: Agent, setup: StartSetup = {}): SubagentActivationSpec {
  const {
    provider = 'spawn',
    label = 'worker',
    childId,
    signal = new AbortController().signal,
    delivery = 'parent',
    prompt = 'go',
    ...rest
  } = setup;
  return {
    ...{ provider, label, signal, delivery },
    ...(childId !== undefined && { childId }),
    request: { ...rest, parent, prompt: typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt },
  };
}

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const check of opened.splice(0).reverse()) await check();
});

/** Closes the runtime, moving time until it is closed. */
async function closed(world: World, faults: { where: string; error: unknown }[]): Promise<void> {
  let isClosed = false;
  const closing = world.runtime.close().then(
    () => {
      isClosed = true;
    },
    (error: unknown) => {
      isClosed = true;
      faults.push({ where: 'close', error });
    },
  );
  await world.rest();
  for (let second = 0; second < 600 && !isClosed; second++) await world.advance(1_000);
  if (!isClosed) throw new Error('the runtime did not close within ten minutes of its clock');
  await closing;
  // bounds of what was given up run out
  for (let step = 0; step < 20 && world.clock.pendingTimers > 0; step++) await world.advance(10_000);
}
