/** A player that does random things to a runtime: see random-lives.test.ts. */
import { expect } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import type { Turn, TurnEnd } from '../../src/agents/driver.ts';
import { SubagentError } from '../../src/errors.ts';
import type { SubagentActivation } from '../../src/providers/contract.ts';
import { codeOf } from '../support/code-of.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { openWorld, type World } from '../support/world.ts';

const text = (words: string) => [{ type: 'text', text: words }] as const;

/** Mulberry32: small, and the same everywhere. */
function randomFrom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number) => Math.floor(next() * count);
  return { below, chance: (share: number) => next() < share, pick: <Item>(items: readonly Item[]) => items[below(items.length)] };
}
type Random = ReturnType<typeof randomFrom>;

export async function ticks(random: Random): Promise<void> {
  for (let left = random.chance(0.2) ? random.below(60) : random.below(6); left > 0; left--) await Promise.resolve();
}

export class Play {
  readonly world: World;
  readonly random: Random;
  readonly children: SubagentActivation[] = [];
  readonly ids = new Set<string>();
  /** Ids of messages that were accepted, by their target. */
  readonly accepted: { readonly to: string; readonly id: string }[] = [];
  readonly work: Promise<unknown>[] = [];
  root!: { readonly id: string; readonly agent: Agent; close(): Promise<void> };

  constructor(seed: number) {
    this.random = randomFrom(seed);
    this.world = openWorld({ capacity: { perRoot: 5 }, limits: { childrenPerAgent: 40 } });
    const remote = scriptedProvider();
    this.world.runtime.registerProvider(remote);
    this.world.driver.otherwise((turn) => this.turn(turn));
    this.world.driver.onRelease = (agent) => {
      if (agent.depth > 0 && this.random.chance(0.05)) throw new Error('stuck');
    };
    this.world.driver.onValidate = () => {
      if (this.root !== undefined && this.random.chance(0.05)) throw new Error('no such model');
    };
  }

  async start(parent: Agent, signal = new AbortController().signal): Promise<void> {
    const { random, world } = this;
    const provider = random.pick(['spawn', 'spawn', 'spawn', 'fork', 'remote']) ?? 'spawn';
    const child = await world.start(parent, { provider, signal, delivery: random.chance(0.5) ? 'parent' : 'caller' });
    this.children.push(child);
    if (child.messageId !== undefined) this.ids.add(child.childId);
    if (child.messageId !== undefined) this.accepted.push({ to: child.childId, id: child.messageId });
    if (provider === 'remote' && random.chance(0.7)) this.endRemote(child.childId);
  }

  endRemote(childId: string): void {
    const { registry } = this.world;
    const run = registry.externals.get(childId)?.run as { settle?(): void; reject?(error: unknown): void } | undefined;
    if (this.random.chance(0.8)) run?.settle?.();
    else run?.reject?.(new Error('remote'));
  }

  async send(from: Agent, to: string): Promise<void> {
    this.accepted.push({ to, id: await this.world.runtime.sendMessage(from, to, text('hello')) });
  }

  /** What any agent does in a turn. */
  async turn(turn: Turn): Promise<TurnEnd | undefined> {
    const { random, world } = this;
    for (let steps = random.below(4); steps > 0; steps--) {
      await ticks(random);
      switch (random.below(8)) {
        case 0:
        case 1:
          await turn.record({ role: 'assistant', content: [{ type: 'text', text: 'word' }] });
          break;
        case 2:
          await turn.takeSteering();
          break;
        case 3:
          if (turn.agent.depth < 3) await codeOf(this.start(turn.agent));
          break;
        case 4: {
          const parent = world.registry.residents.get(turn.agent.id)?.parent;
          if (parent !== undefined) await codeOf(this.send(turn.agent, parent.id));
          break;
        }
        case 5: {
          const ids = [...this.ids];
          if (ids.length > 0) await codeOf(this.send(turn.agent, random.pick(ids) ?? ''));
          break;
        }
        case 6:
          if (random.chance(0.3))
            await new Promise<void>((resolve) =>
              turn.signal.aborted ? resolve() : turn.signal.addEventListener('abort', () => resolve()),
            );
          if (turn.signal.aborted) return { stopReason: 'aborted' };
          break;
        default:
          if (random.chance(0.3)) throw new Error('driver');
          if (random.chance(0.3)) return { stopReason: 'error', diagnostic: 'said so' };
      }
    }
    return undefined;
  }

  async act(): Promise<void> {
    const { random, world, root } = this;
    const child = random.pick(this.children);
    const id = child?.childId ?? 'nobody';
    switch (random.below(14)) {
      case 0:
      case 1:
      case 2:
        this.try(this.start(root.agent));
        break;
      case 3: {
        const abort = new AbortController();
        this.try(this.start(root.agent, abort.signal));
        await ticks(random);
        abort.abort();
        break;
      }
      case 4:
      case 5:
        this.try(this.send(root.agent, id));
        break;
      case 6:
        if (child !== undefined) this.try(child.dispose());
        break;
      case 7:
        this.try(() => world.runtime.interrupt(id, { kind: 'ancestor', agent: root.agent }));
        break;
      case 8:
        this.try(world.runtime.drainChildren(root.agent, [id]));
        break;
      case 9:
        this.breakStore();
        break;
      case 10:
        world.store.inject({
          at: { method: 'append', nth: 1 + random.below(4) },
          fault: 'slow',
          ms: random.below(2_000),
          clock: world.clock,
        });
        break;
      case 11:
        await world.advance(random.below(8_000));
        break;
      case 12:
        this.try(world.runtime.recover());
        break;
      default:
        if (!random.chance(0.3)) break;
        await this.settle(root.close());
        await this.reopen();
    }
  }

  /** One of the next writes is refused, or nobody knows what became of it. */
  breakStore(): void {
    const { random, world } = this;
    const at = {
      method: random.pick(['append', 'append', 'append', 'create', 'claim'] as const) ?? 'append',
      nth: 1 + random.below(4),
    };
    const refusal = random.chance(0.7) ? new SubagentError('STORE_FULL', 'full') : new Error('EIO');
    if (random.chance(0.7)) world.store.inject({ at, fault: 'reject', error: refusal });
    else world.store.inject({ at, fault: 'unknown', isDone: random.chance(0.5) });
  }

  try(work: Promise<unknown> | (() => unknown)): void {
    this.work.push(codeOf(work));
  }

  async settle(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = codeOf(work).finally(() => {
      isOver = true;
    });
    for (let second = 0; second < 200 && !isOver; second++) await this.world.advance(1_000);
    expect(isOver, 'it ends in bounded time').toBe(true);
    await over;
  }

  async reopen(): Promise<void> {
    const { id } = this.root;
    for (let attempt = 0; attempt < 20 && !this.world.isResident(id); attempt++) {
      const opening = this.world.openRoot({ id }).then((root) => {
        this.root = root;
      });
      await this.settle(opening);
    }
  }
}
