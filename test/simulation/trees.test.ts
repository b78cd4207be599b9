/**
 * Random trees under random deeds on a store that is slow, full, mute or broken at random. Whatever happens, closing settles
 * everything, and every message that was accepted is in one log once: waiting, or gone once. A failure names its seed; run it
 * alone with `TROUPE_SEED=<seed> npx vitest run test/simulation/trees.test.ts`.
 */
import { expect, test } from 'vitest';
import { errorCode, SubagentError } from '../../src/errors.ts';
import type { SessionId } from '../../src/sessions/ids.ts';
import { unpaired } from '../support/run-pairs.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { randomFrom } from '../support/shuffler.ts';
import type { Fault } from '../support/store-faults.ts';
import { openWorld, type World } from '../support/world.ts';
import { auditStore } from './audit.ts';
import { type RandomDriver, randomDriver } from './random-driver.ts';

const programs = Number(process.env.TROUPE_PROGRAMS ?? 400);
const only = process.env.TROUPE_SEED === undefined ? undefined : Number(process.env.TROUPE_SEED);
const text = [{ type: 'text', text: 'word' }] as const;

class Program {
  readonly world: World;
  readonly accepted: { readonly id: string; readonly target: string }[] = [];
  readonly results: Promise<unknown>[] = [];
  readonly #random: () => number;
  readonly #driver: RandomDriver;
  readonly #remote = scriptedProvider();
  readonly #ids: string[] = [];

  constructor(seed: number) {
    this.#random = randomFrom(seed);
    this.world = openWorld({ capacity: { perRoot: 12 }, limits: { depthMax: 3 } });
    this.world.abandon(); // it is closed and looked at here
    this.#driver = randomDriver(this.#random, this.world.clock);
    this.world.runtime.registerProvider(this.#remote);
  }

  async run(): Promise<void> {
    const { world } = this;
    const root = await world.openRoot({ composition: { driver: this.#driver } });
    this.#ids.push(root.id);
    for (let left = 5 + this.#pick(40); left > 0; left--) {
      if (this.#random() < 0.15) world.store.inject(this.#fault());
      this.#deed(root);
      await this.#pause();
    }
    if (this.#random() < 0.5) world.store.release(this.#random() < 0.5 ? undefined : new Error('the line was cut'));
    await this.#close();
  }

  #deed(root: Awaited<ReturnType<World['openRoot']>>): void {
    const { runtime } = this.world;
    const id = this.#ids[this.#pick(this.#ids.length)] ?? root.id;
    const agent = id === root.id ? root.agent : this.#driver.agentOf(id);
    const choice = this.#random();
    if (choice < 0.35) this.#start(agent ?? root.agent);
    else if (choice < 0.55) this.#send(root.agent, id);
    else if (choice < 0.65 && agent !== undefined) this.#send(agent, this.#parentOf(id) ?? root.id);
    else if (choice < 0.72) this.#accept(root.id, root.prompt('from a person'));
    else if (choice < 0.77) this.#accept(root.id, root.inject('by the way'));
    else if (choice < 0.82) this.#quietly(async () => runtime.interrupt(id, { kind: 'ancestor', agent: root.agent }));
    else if (choice < 0.87) this.#quietly(() => runtime.drainChildren(root.agent, [id]));
    else if (choice < 0.9) this.#remote.runs.at(-1)?.settle();
    else if (choice < 0.92 && agent !== undefined && agent !== root.agent) this.#quietly(() => runtime.drainDescendants([agent]));
    else {
      const abort = new AbortController();
      this.world.clock.schedule(1_000, () => abort.abort());
      this.#quietly(() => runtime.waitForChildren(root.agent, abort.signal));
    }
  }

  #start(parent: Parameters<World['start']>[0]): void {
    const abort = new AbortController();
    const provider = ['spawn', 'spawn', 'fork', 'remote'][this.#pick(4)] ?? 'spawn';
    const delivery = this.#random() < 0.6 ? 'parent' : 'caller';
    const starting = this.world.start(parent, { provider, delivery, label: 'worker', signal: abort.signal });
    if (this.#random() < 0.1) abort.abort();
    this.#quietly(async () => {
      const child = await starting;
      this.#ids.push(child.childId);
      if (child.messageId !== undefined) this.accepted.push({ id: child.messageId, target: child.childId });
      this.results.push(child.result.catch(() => undefined));
      if (this.#random() < 0.15) await child.dispose();
    });
  }

  #send(from: Parameters<World['start']>[0], target: string): void {
    this.#accept(target, this.world.runtime.sendMessage(from, target, text));
  }

  #accept(target: string, sending: Promise<string>): void {
    this.#quietly(async () => void this.accepted.push({ id: await sending, target }));
  }

  #parentOf(id: string): string | undefined {
    return this.world.registry.residents.get(id)?.parent?.id;
  }

  /** Refusals are part of it; what escapes to nobody is caught by the trap of the suite. */
  #quietly(work: () => Promise<unknown>): void {
    work().catch((error: unknown) => {
      if (!(error instanceof Error)) throw error;
    });
  }

  #fault(): Fault {
    const at =
      [1 + this.#pick(8), { method: 'append' } as const, { method: 'create' } as const, { method: 'handBack' } as const][
        this.#pick(4)
      ] ?? 1;
    const { clock } = this.world;
    const faults: readonly Fault[] = [
      { at, fault: 'reject', error: new SubagentError('STORE_FULL', 'full') },
      { at, fault: 'reject', error: new SubagentError('STORE_LOCKED', 'locked') },
      { at, fault: 'reject', error: new TypeError('broken') },
      { at, fault: 'unknown', isDone: this.#random() < 0.5 },
      { at, fault: 'slow', ms: this.#random() * 9_000, clock },
      { at, fault: 'slow', ms: this.#random() * 9_000, clock },
      { at, fault: 'hang' },
    ];
    return faults[this.#pick(faults.length)] as Fault;
  }

  async #pause(): Promise<void> {
    const choice = this.#random();
    if (choice < 0.4) return;
    if (choice < 0.8) return this.world.rest();
    await this.world.advance(this.#random() * 8_000);
  }

  async #close(): Promise<void> {
    let isClosed = false;
    const closing = this.world.close().then(
      () => {
        isClosed = true;
      },
      () => {
        isClosed = true;
      },
    );
    for (let second = 0; second < 200 && !isClosed; second++) await this.world.advance(1_000);
    expect(isClosed, 'the runtime is closed').toBe(true);
    await closing;
    await this.world.advance(120_000); // every bound and every lease has run out
  }

  #pick(count: number): number {
    return Math.floor(this.#random() * count);
  }
}

async function messagesMissing({ world, accepted }: Program): Promise<string[]> {
  const missing: string[] = [];
  for (const { id, target } of accepted) {
    const inserted = await world.logOf(target, 'inbox/inserted').catch(() => []);
    if (inserted.filter(({ data }) => data.messageId === id).length !== 1) missing.push(`${id} to ${target}`);
  }
  return missing;
}

/** Runs whose end the log tells in another way than the event did. Where the store did not say what it wrote, nobody can know. */
async function endsThatDiffer(world: World): Promise<string[]> {
  if (world.faults.some(({ error }) => errorCode(error) === 'OUTCOME_UNKNOWN')) return [];
  const differing: string[] = [];
  for (const { runId, id, local, stopReason } of world.events.of('subagent/end')) {
    const records = local ? await world.logOf(id, 'activation/ended').catch(() => []) : [];
    const record = records.findLast(({ data }) => data.runId === runId);
    const isUnsure = world.store.calls.some(
      ({ method, session, state }) => method === 'append' && session === id && state === 'rejected',
    );
    if (record !== undefined && !isUnsure && record.data.stopReason !== stopReason)
      differing.push(`${id} ended as ${stopReason}, by the log as ${record.data.stopReason}`);
  }
  return differing;
}

/** What the programs have reached, so that a property over nothing is seen. */
const reached = { messages: 0, depth: 0, reasons: new Set<string>(), storeFaults: 0 };

function note({ world, accepted }: Program): void {
  reached.messages += accepted.length;
  reached.storeFaults += world.store.calls.filter(({ state }) => state === 'rejected').length;
  for (const { depth, stopReason } of world.events.of('subagent/end')) {
    reached.depth = Math.max(reached.depth, depth);
    reached.reasons.add(stopReason);
  }
}

async function check(seed: number): Promise<void> {
  const program = new Program(seed);
  const { world } = program;
  await program.run();
  const { residents, externals, capacity } = world.registry;
  const left = {
    residents: [...residents.keys()],
    externals: [...externals.keys()],
    live: capacity.live,
    timers: world.clock.pendingTimers,
  };
  const where = `seed ${seed}`;
  expect(left, where).toEqual({ residents: [], externals: [], live: 0, timers: 0 });
  await Promise.all(program.results);
  const ids = new Set(world.store.calls.flatMap(({ method, session }) => (method === 'create' ? [session as SessionId] : [])));
  expect(await auditStore(world.store.inner, ids), where).toEqual([]);
  expect(await messagesMissing(program), where).toEqual([]);
  expect(unpaired(world.events.all), where).toEqual([]);
  expect(await endsThatDiffer(world), where).toEqual([]);
  note(program);
  // what the store does only now is taken back, and nothing else is written
  const known = world.store.calls.length;
  world.store.release();
  await world.advance(60_000);
  const late = world.store.calls.slice(known).flatMap(({ method, events }) => [method, ...events.map(({ type }) => type)]);
  const allowed = ['head', 'read', 'remove', 'handBack', 'append', 'inbox/discarded', 'activation/ended', 'notice/delivered'];
  expect(
    late.filter((what) => !allowed.includes(what)),
    `${where}: writes after the end`,
  ).toEqual([]);
  expect(await auditStore(world.store.inner, ids), `${where}, after the store answered`).toEqual([]);
}

test('after any program everything is settled, and every accepted message is in a log once and leaves it at most once (P01, P13, P22, P24, P40, R13)', async () => {
  if (only !== undefined) return check(only);
  for (let seed = 1; seed <= programs; seed++) await check(seed);
  expect(reached.messages).toBeGreaterThan(programs * 3);
  expect(reached.storeFaults).toBeGreaterThan(programs / 2);
  expect([...reached.reasons].toSorted()).toEqual(['aborted', 'completed', 'error', 'refusal']);
  expect(reached.depth).toBe(3);
}, 600_000);
