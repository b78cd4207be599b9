/**
 * starts and ends are pairs, for random programs over every way to begin and to stop. A failure prints its seed; run it
 * again with `TROUPE_SEED=<seed> npx vitest run test/scenarios/R-1.test.ts`, which also makes it small.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SubagentActivation } from '../../src/providers/contract.ts';
import { type Gate, gate } from '../support/gate.ts';
import { unpaired } from '../support/run-pairs.ts';
import { type RunPlan, scriptedLocalProvider, scriptedProvider } from '../support/scripted-provider.ts';
import { does, ignoresStopAt, says, throws, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

/** One deed of a program. `child` picks one of those that there are. */
type Deed =
  | { readonly type: 'start'; readonly kind: 'local' | 'external'; readonly way: Way; readonly delivery: 'parent' | 'caller' }
  | { readonly type: 'cancel-start' | 'open' | 'dispose' | 'interrupt' | 'resume' | 'drain-child'; readonly child: number }
  | { readonly type: 'drain' | 'rest' }
  | { readonly type: 'wait'; readonly ms: number };
type Way = 'quick' | 'gated' | 'deaf' | 'fails' | 'refused' | 'slow-start' | 'parent';

const way = fc.constantFrom<Way>('quick', 'gated', 'deaf', 'fails', 'refused', 'slow-start', 'parent');
const child = fc.nat(20);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('start' as const),
      kind: fc.constantFrom('local', 'external'),
      way,
      delivery: fc.constantFrom('parent', 'caller'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom('cancel-start', 'open', 'dispose', 'interrupt', 'resume', 'drain-child'),
      child,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('drain' as const) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('rest' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.constantFrom(1, 1_000, 6_000, 40_000) }) },
);

interface Started {
  readonly abort: AbortController;
  readonly place: Gate;
  activation: SubagentActivation | undefined;
  isRefused: boolean;
}

class Program {
  readonly world: World = openWorld({ capacity: { perRoot: 6 }, limits: { childrenPerAgent: 1_000 } });
  readonly #remote = scriptedProvider();
  readonly #started: Started[] = [];
  readonly #work: Promise<unknown>[] = [];
  readonly #starting: Gate[] = [];
  #labels = 0;

  constructor() {
    this.world.runtime.registerProvider(this.#remote);
    this.world.runtime.registerProvider(
      scriptedLocalProvider(async () => {
        await this.#starting.at(-1)?.pass();
        return {};
      }),
    );
  }

  async run(deeds: readonly Deed[]): Promise<void> {
    const root = await this.world.openRoot();
    for (const one of deeds) await this.#do(one, root.agent);
    for (const { place } of this.#started) place.open();
    for (const place of this.#starting) place.open();
    for (let round = 0; round < 20; round++) {
      for (const run of this.#remote.runs) run.settle();
      await this.world.advance(5_000);
    }
    await this.world.runtime.drainDescendants([root.agent]).catch(() => undefined);
    await Promise.all(this.#work);
    await this.world.rest();
  }

  get refused(): number {
    return this.#started.filter(({ isRefused }) => isRefused).length;
  }

  async #do(one: Deed, agent: Parameters<World['start']>[0]): Promise<void> {
    const { runtime } = this.world;
    if (one.type === 'start') return this.#start(agent, one.kind, one.way, one.delivery);
    if (one.type === 'rest') return this.world.rest();
    if (one.type === 'wait') return this.world.advance(one.ms);
    if (one.type === 'drain') return this.#after(runtime.drainChildren(agent, this.#ids()));
    const chosen = 'child' in one ? this.#started[one.child % (this.#started.length || 1)] : undefined;
    const id = chosen?.activation?.childId ?? '';
    switch (one.type) {
      case 'cancel-start':
        return chosen?.abort.abort();
      case 'open':
        return chosen?.place.open();
      case 'dispose':
        return this.#after(chosen?.activation?.dispose());
      case 'drain-child':
        return this.#after(runtime.drainChildren(agent, [id]));
      case 'interrupt':
        return runtime.interrupt(id, { kind: 'ancestor', agent });
      case 'resume':
        return this.#after(runtime.sendMessage(agent, id, [{ type: 'text', text: 'more' }]));
    }
  }

  #start(agent: Parameters<World['start']>[0], kind: 'local' | 'external', how: Way, delivery: 'parent' | 'caller'): void {
    const label = `w${++this.#labels}`;
    const place = gate();
    const started: Started = { abort: new AbortController(), place, activation: undefined, isRefused: false };
    this.#started.push(started);
    this.world.driver.script(label, stepsOf(this.world, how, place, delivery));
    if (kind === 'external') this.#remote.plan(planOf(how, place));
    if (how === 'slow-start') this.#starting.push(place);
    const provider = kind === 'external' ? 'remote' : how === 'slow-start' ? 'local' : 'spawn';
    const refused = how === 'refused' && { agentPreset: 'nobody' };
    const { signal } = started.abort;
    const starting = this.world.start(agent, { label, provider, delivery, signal, ...refused }).then(
      (activation) => {
        started.activation = activation;
        return activation.result;
      },
      () => {
        started.isRefused = true;
      },
    );
    this.#after(starting);
  }

  #ids(): string[] {
    return this.#started.flatMap(({ activation }) => activation?.childId ?? []);
  }

  /** The program goes on at once; what comes of a deed is looked at in the events. */
  #after(work: Promise<unknown> | undefined): void {
    if (work !== undefined) this.#work.push(work.catch(() => undefined));
  }
}

function stepsOf(world: World, how: Way, place: Gate, delivery: 'parent' | 'caller') {
  if (how === 'gated') return [waitsAt(place), says('done')];
  if (how === 'deaf') return [ignoresStopAt(place), says('done')];
  if (how === 'fails') return [throws(new Error('no'))];
  if (how === 'parent') {
    return [
      does(async (turn) => void (await world.start(turn.agent, { label: 'below', delivery }).catch(() => undefined))),
      waitsAt(place),
    ];
  }
  return [says('done')];
}

function planOf(how: Way, place: Gate): RunPlan {
  if (how === 'quick') return { result: { output: [], stopReason: 'completed' } };
  if (how === 'fails') return { resultError: new Error('no') };
  if (how === 'refused') return { startError: new Error('no') };
  if (how === 'slow-start') return { startAt: place };
  if (how === 'deaf') return { neverSettles: true };
  return {};
}

const seed = Number(process.env.TROUPE_SEED ?? 1);

test('each run has one start and then one end, and a refused start has neither, over 1,000 programs (R-1, S5.5, P34)', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 3, maxLength: 25 }), async (deeds) => {
      const program = new Program();
      const { world } = program;
      await program.run(deeds);
      expect(unpaired(world.events.all)).toEqual([]);
      const starts = world.events.of('subagent/start');
      expect(new Set(starts.map(({ runId }) => runId)).size).toBe(starts.length);
      for (const end of world.events.of('subagent/end')) seen.add(end.stopReason);
      expect([world.live, ...world.registry.residents.keys()]).toEqual([0, (await world.store.inner.roots())[0]?.header.id]);
      await world.close().catch(() => undefined);
      world.abandon();
    }),
    { numRuns: 1_000, seed },
  );
  expect([...seen].toSorted()).toEqual(['aborted', 'completed', 'error']);
}, 300_000);
