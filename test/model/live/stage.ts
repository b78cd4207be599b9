/**
 * One real runtime with one agent under observation. Everything the agent waits for is in the hands of the test: its start,
 * the writes of its session, its turns, its children, the release of what it holds, the ear of its parent, and time.
 */
import type { AnyActor, AnyActorRef, AnyStateMachine, EventObject } from 'xstate';
import type { Residency } from '../../../src/actors/residency.ts';
import type { AgentComposition } from '../../../src/agents/composition.ts';
import { SubagentError, type SubagentErrorCode } from '../../../src/errors.ts';
import { createRegistry, type Registry, type RuntimeParts, SubagentRuntime } from '../../../src/internal.ts';
import { spawnProvider } from '../../../src/providers/spawn.ts';
import type { SessionEventType } from '../../../src/sessions/event.ts';
import { type SessionId, toSessionId } from '../../../src/sessions/ids.ts';
import { memoryStore } from '../../../src/sessions/stores/memory.ts';
import { namesOf } from '../../../src/testing/graph/step.ts';
import { type FaultyStore, faultyStore } from '../../support/faulty-store.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';
import { type Hand, hand } from './hand.ts';
import { type HeldDriver, heldDriver } from './held-driver.ts';
import { type HeldProvider, heldProvider } from './held-provider.ts';

export interface Observation {
  readonly heard: EventObject[];
  readonly taken: Set<string>;
}

export interface Bounds {
  /** From asking a turn to end to giving it up. */
  readonly turnStopMs: number;
  /** From asking a subtree to end to giving it up. */
  readonly drainMs: number;
  readonly notifyMs: number;
}

export const subjectId = toSessionId('subject');
const never = 1e12;

export class Stage {
  readonly clock: ManualClock = manualClock();
  readonly store: FaultyStore = faultyStore(memoryStore({ clock: this.clock }));
  readonly driver: HeldDriver = heldDriver();
  /** Runs of the subject, if it is external. */
  readonly outside: HeldProvider = heldProvider('outside');
  /** Children of the subject. */
  readonly inside: HeldProvider = heldProvider('inside');
  /** The subject's parent hears of its end here. */
  readonly ear: Hand<void> = hand();
  readonly composition: AgentComposition = { driver: this.driver };
  readonly registry: Registry;
  readonly runtime: SubagentRuntime;
  readonly bounds: Bounds;
  readonly #observed = new Map<unknown, Observation>();
  /** Notices that the parent heard. */
  readonly notices: string[] = [];
  /** Whether the subject still held its place when its parent was told. */
  heldPlaceWhenTold = false;
  /** Starts and ends of activations as they were announced. */
  readonly lives: string[] = [];
  #openCalls = 0;
  readonly #remembered = new Map<string, AnyActorRef>();
  parent: Residency | undefined;
  subject: Residency | undefined;

  constructor(bounds: Partial<Bounds>, parts: RuntimeParts = {}) {
    this.bounds = { turnStopMs: never, drainMs: never, notifyMs: never, ...bounds };
    const limits = { ...this.bounds, materializeMs: never, appendMs: never, disposeMs: never };
    const { clock, store } = this;
    this.registry = createRegistry({ clock, store, ids: countedIds(), limits, onFault: () => undefined }, parts);
    this.runtime = new SubagentRuntime(this.registry);
    this.runtime.registerProvider(spawnProvider());
    this.runtime.registerProvider(this.outside);
    this.runtime.registerProvider(this.inside);
    this.runtime.events$.subscribe((event) => {
      if (event.type === 'subagent/start' || event.type === 'subagent/end') this.lives.push(`${event.type} ${event.label}`);
    });
    this.#observe();
  }

  /** The subject must have been started in the same instant. */
  adopt(): Residency {
    this.subject = [...this.registry.residents.values()].find(({ agent }) => agent.label === 'subject');
    if (this.subject === undefined) throw new Error('there is no subject');
    return this.subject;
  }

  get actor(): AnyActorRef {
    return this.adopted.actor;
  }

  get adopted(): Residency {
    if (this.subject === undefined) throw new Error('there is no subject yet');
    return this.subject;
  }

  /** Agents beside the subject that can hold a place. */
  get others(): number {
    const isOther = (agent: Residency) => agent !== this.subject && (agent.kind === 'local' || agent.kind === 'external');
    return [...this.registry.residents.values()].filter(isOther).length;
  }

  /** Keeps the actor of an agent findable after the agent has left. */
  remember(id: string): void {
    const actor = this.registry.residents.get(id)?.actor;
    if (actor !== undefined) this.#remembered.set(id, actor);
  }

  left(id: string): AnyActorRef {
    const actor = this.#remembered.get(id);
    if (actor === undefined) throw new Error(`nobody remembers ${id}`);
    return actor;
  }

  get heard(): readonly EventObject[] {
    return this.of(this.actor).heard;
  }

  /** Calls into the runtime are not awaited: what comes of them is seen at the subject. */
  call(promise: Promise<unknown>): void {
    this.#openCalls++;
    const settle = () => {
      this.#openCalls--;
    };
    promise.then(settle, settle);
  }

  /** Calls that have not settled by now. */
  async unsettled(): Promise<number> {
    await this.rest();
    return this.#openCalls;
  }

  holdNext(event: SessionEventType, session: SessionId = subjectId): void {
    this.store.inject({ at: { method: 'append', session, event }, fault: 'hang' });
  }

  rejectNext(event: SessionEventType, code: SubagentErrorCode): void {
    this.store.inject({ at: { method: 'append', session: subjectId, event }, fault: 'reject', error: refusal(code) });
  }

  holdHandBack(): void {
    this.store.inject({ at: { method: 'handBack', session: subjectId }, fault: 'hang' });
  }

  /** Everything that can happen without time passing has happened. */
  async rest(): Promise<void> {
    await this.clock.advanceAndSettle(0);
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advanceAndSettle(ms);
  }

  /** What an actor of this runtime heard, in order, and which edges of its machine it took. */
  of(actor: unknown): Observation {
    const known = this.#observed.get(actor) ?? { heard: [], taken: new Set<string>() };
    this.#observed.set(actor, known);
    return known;
  }

  #observe(): void {
    this.registry.actor.system.inspect((inspected) => {
      const { heard, taken } = this.of(inspected.actorRef);
      if (inspected.type === '@xstate.event' && inspected.event.type !== 'xstate.init') heard.push(inspected.event);
      if (inspected.type !== '@xstate.microstep') return;
      const machine = (inspected.actorRef as AnyActor).logic as AnyStateMachine;
      for (const edge of namesOf(machine, inspected._transitions)) taken.add(edge);
    });
  }
}

export function refusal(code: SubagentErrorCode): SubagentError {
  return new SubagentError(code, 'as the test says');
}

function countedIds() {
  let count = 0;
  return { next: () => `n${String(++count).padStart(25, '0')}` };
}
