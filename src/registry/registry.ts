/** Everything one runtime knows, and the lookups on it. The operations are in the files beside this one. */
import type { ActorRefFrom } from 'xstate';
import type { Residency } from '../actors/residency.ts';
import type { Machines } from '../actors/supervise.ts';
import type { World } from '../actors/world.ts';
import type { Agent } from '../agents/agent.ts';
import type { AgentComposition } from '../agents/composition.ts';
import { SubagentError } from '../errors.ts';
import type { createRuntimeMachine } from '../machines/runtime.ts';
import type { NewSessionEvent, SessionEventMap, SessionEventType, SessionHeader } from '../sessions/event.ts';
import type { MessageId } from '../sessions/ids.ts';
import { Session } from '../sessions/session.ts';
import type { SessionLease } from '../sessions/store.ts';
import type { Capacity } from './capacity.ts';
import type { EventHub } from './event-hub.ts';
import type { Providers } from './providers.ts';
import type { Routes } from './routes.ts';

export interface Registry extends World {
  readonly machines: Machines;
  readonly actor: ActorRefFrom<ReturnType<typeof createRuntimeMachine>>;
  readonly providers: Providers;
  readonly presets: ReadonlyMap<string, AgentComposition>;
  readonly capacity: Capacity;
  readonly hub: EventHub;
  /** Prompts of people that are being delivered, by child and request id: a repeat joins the first. */
  readonly prompts: Map<string, Promise<MessageId>>;
  readonly routes: Routes;
  /** Starts the next activation of a child whose turn was given up with messages left. */
  resumeStranded(released: Residency): void;
  /** Lets a child go on whose session was lost to a write of unknown outcome. */
  recoverLost(released: Residency): void;
  /** The recovery that runs, or the last that ran; it does not reject. */
  recovering: Promise<unknown>;
  /** Past ends that a parent is being told of, by the key of the notice. */
  readonly telling: Map<MessageId, Promise<void>>;
  /** What agents that have left still do, for `close` to wait for. */
  readonly unfinished: Set<Promise<void>>;
  /** What went wrong while closing. */
  readonly closing: { readonly faults: SubagentError[] };
  /** Live external children by the id their backend gave them. */
  readonly externals: Map<string, Residency>;
  /** Every external id seen; ids are never used twice. */
  readonly externalIds: Set<string>;
}

/** The agent in memory that `childId` names, local or external. */
export function findResident(registry: Registry, childId: string): Residency | undefined {
  return registry.residents.get(childId) ?? registry.externals.get(childId);
}

/** The residency of an exact live agent, or undefined for a stale or forged one. */
export function exactResident(registry: Registry, agent: Agent): Residency | undefined {
  const residency = registry.residents.get(idOf(agent));
  return residency !== undefined && residency.agent === agent && !residency.isReleased ? residency : undefined;
}

/** Whatever is handed in as an agent: what it says of itself only finds the one that it has to be. */
function idOf(agent: Partial<Agent> | null | undefined): string {
  try {
    return agent?.id ?? '';
  } catch {
    return ''; // its own getter threw; no agent of ours does
  }
}

export function mustBeExact(
  registry: Registry,
  agent: Agent,
  code: 'UNAUTHORIZED' | 'PARENT_UNAVAILABLE' = 'UNAUTHORIZED',
): Residency {
  const residency = exactResident(registry, agent);
  if (residency === undefined) throw new SubagentError(code, 'the caller is not a live agent of this runtime');
  return residency;
}

export function mustBeOpen(registry: Registry): void {
  if (!registry.actor.getSnapshot().hasTag('admitting'))
    throw new SubagentError('RUNTIME_CLOSED', 'the runtime is closed or closing');
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new SubagentError('CANCELLED', 'the operation was cancelled before it was accepted', { cause: signal.reason });
}

/** The writer of a session that this runtime holds. */
export function openSession(registry: Registry, residency: Residency, header: SessionHeader, lease: SessionLease): Session {
  return new Session({
    store: registry.store,
    clock: registry.clock,
    appendMs: registry.limits.appendMs,
    header,
    lease,
    onLost: (error) => {
      residency.lostFault ??= error;
      residency.send({ type: 'fence.lost' });
    },
    onCommitted: (events) => registry.hub.appended(residency.id, events),
  });
}

export function newEvent<Type extends SessionEventType>(
  registry: Registry,
  type: Type,
  data: SessionEventMap[Type],
): NewSessionEvent {
  return { type, time: registry.clock.now(), data } as NewSessionEvent;
}
