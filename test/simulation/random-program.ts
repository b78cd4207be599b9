/**
 * One random life of a whole tree: starts, messages, interrupts, drains and disposals in any order, over a store that is slow,
 * full, mute or broken at random. The same seed gives the same life.
 */
import { expect } from 'vitest';
import type { ActivationActor } from '../../src/actors/residency.ts';
import { SubagentError } from '../../src/errors.ts';
import type { SubagentActivation } from '../../src/providers/contract.ts';
import type { SessionHeader } from '../../src/sessions/event.ts';
import { foldSession } from '../../src/sessions/fold.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { randomFrom } from '../support/shuffler.ts';
import type { Fault } from '../support/store-faults.ts';
import { openWorld, type World } from '../support/world.ts';
import { type RandomDriver, randomDriver } from './random-driver.ts';

const text = [{ type: 'text', text: 'word' }] as const;

export class RandomProgram {
  readonly world: World;
  readonly accepted: { readonly id: string; readonly target: string }[] = [];
  readonly results: Promise<unknown>[] = [];
  /** Who did not go on although nothing was in the way. */
  readonly stuck: string[] = [];
  readonly #random: () => number;
  readonly #driver: RandomDriver;
  readonly #remote = scriptedProvider();
  readonly #ids: string[] = [];
  readonly #handles: SubagentActivation[] = [];

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
    const after = this.#random();
    if (after < 0.5) await this.#heal();
    else if (after < 0.75) world.store.release(this.#random() < 0.5 ? undefined : new Error('the line was cut'));
    await this.#close();
  }

  /** No fault and no deed any more: whoever can go on does, and only who was interrupted waits. */
  async #heal(): Promise<void> {
    const { world } = this;
    world.store.heal();
    for (let minute = 0; minute < 6; minute++) {
      for (const run of this.#remote.runs) run.settle();
      await world.advance(60_000);
    }
    for (const residency of world.registry.residents.values()) {
      const snapshot = (residency.actor as ActivationActor).getSnapshot();
      if (snapshot.matches({ resident: { waiting: 'held' } })) continue;
      const log = await world.log(residency.id);
      const { unclaimed } = foldSession(residency.session?.header as SessionHeader, log);
      if (unclaimed.some(({ wakes }) => wakes)) this.stuck.push(`${residency.id} lets a message wait`);
      if (residency.parent !== undefined && residency.children.size === 0) this.stuck.push(`${residency.id} does not settle`);
    }
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
    else if (choice < 0.94) this.#dispose(root.agent);
    else if (choice < 0.96 && agent !== undefined && agent !== root.agent) this.#quietly(() => runtime.drainDescendants([agent]));
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
      this.#handles.push(child);
      if (child.messageId !== undefined) this.accepted.push({ id: child.messageId, target: child.childId });
      this.results.push(child.result.catch(() => undefined));
      if (this.#random() < 0.15) await child.dispose();
    });
  }

  /** Often with a message still on its way to it. */
  #dispose(from: Parameters<World['start']>[0]): void {
    const handle = this.#handles[this.#pick(this.#handles.length)];
    if (handle === undefined) return;
    for (let left = this.#pick(3); left > 0; left--) this.#send(from, handle.childId);
    const hops = this.#pick(30);
    this.#quietly(async () => {
      for (let left = hops; left > 0; left--) await undefined;
      await handle.dispose();
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
      { at, fault: 'slow', ms: this.#random() * 9_000, clock, error: new SubagentError('STORE_FULL', 'full, after a while') },
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
