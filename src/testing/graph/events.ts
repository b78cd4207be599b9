/** Which events can come in a state. */
import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import { nodesOf } from './edges.ts';
import { childrenIn } from './state-key.ts';
import type { XStateEvent } from './types.ts';
import type { Waiting } from './waiting.ts';

export interface EventRules {
  readonly events?: readonly EventObject[] | ((snapshot: AnyMachineSnapshot) => readonly EventObject[]) | undefined;
  readonly accepts?: ((event: EventObject, snapshot: AnyMachineSnapshot) => boolean) | undefined;
  readonly includesActorsAndTimers?: boolean | undefined;
}

/** Of the machine's state and of what it waits for. */
export type EventSource = (snapshot: AnyMachineSnapshot, waiting: Waiting) => readonly EventObject[];

export function eventSource(machine: AnyStateMachine, rules: EventRules): EventSource {
  const { events, accepts = () => true, includesActorsAndTimers = false } = rules;
  const bare = new Map(eventTypes(machine).map((type) => [type, { type }]));
  const answers = new Map<string, EventObject>();
  const started = new Set(nodesOf(machine).flatMap(({ invoke }) => invoke.map(({ id }) => id)));

  /** One event object for each type, so that a path is the same in every run. */
  const answer = (type: string): EventObject => {
    const event = answers.get(type) ?? answerOf(type);
    answers.set(type, event);
    return event;
  };
  return (snapshot, waiting) => {
    const isHeard = hearing(snapshot);
    const given = typeof events === 'function' ? events(snapshot) : (events ?? []);
    const own = includesActorsAndTimers ? expected(snapshot, waiting).filter(isHeard) : [];
    const comesByItself = (type: string) => includesActorsAndTimers && isAnswerTo(type, snapshot, started);
    const plain = given.filter(({ type }) => !comesByItself(type));
    const ordinary = typeof events === 'function' ? plain : merge([...bare.values()], plain).filter(({ type }) => isHeard(type));
    const offered = [...ordinary, ...own.flatMap((type) => ofType(given, type) ?? [answer(type)])];
    return offered.filter((event) => accepts(event, snapshot));
  };
}

/** The types that the machine names in full, without XState's own, in the order of the file. */
export function eventTypes(machine: AnyStateMachine): string[] {
  return descriptorsOf(machine).filter((type) => !isWildcard(type) && !type.startsWith('xstate.'));
}

/** Everything that the machine listens to, wildcards included. */
export function descriptorsOf(machine: AnyStateMachine): string[] {
  return [...new Set(nodesOf(machine).flatMap(({ transitions }) => [...transitions.keys()]))];
}

export const isWildcard = (descriptor: string) => descriptor === '*' || descriptor.endsWith('.*');

/** As XState matches: `a.*` takes `a`, `a.b` and `a.b.c`. */
export function isMatch(type: string, descriptor: string): boolean {
  if (descriptor === '*' || descriptor === type) return true;
  return descriptor.endsWith('.*') && `${type}.`.startsWith(descriptor.slice(0, -1));
}

function hearing(snapshot: AnyMachineSnapshot): (type: string) => boolean {
  const descriptors = new Set(snapshot._nodes.flatMap(({ transitions }) => [...transitions.keys()]));
  const wildcards = [...descriptors].filter(isWildcard);
  return (type) => descriptors.has(type) || wildcards.some((wildcard) => isMatch(type, wildcard));
}

/** Given events stand in the place of the bare one of their type; those of other types follow. */
function merge(bare: readonly EventObject[], given: readonly EventObject[]): EventObject[] {
  const known = new Set(bare.map(({ type }) => type));
  return [...bare.flatMap((event) => ofType(given, event.type) ?? [event]), ...given.filter(({ type }) => !known.has(type))];
}

function ofType(events: readonly EventObject[], type: string): EventObject[] | undefined {
  const found = events.filter((event) => event.type === type);
  return found.length === 0 ? undefined : found;
}

/** What living actors and armed timers can send. Actors whose id XState made up are left out: it differs from run to run. */
function expected(snapshot: AnyMachineSnapshot, { timers, ended }: Waiting): string[] {
  const living = childrenIn(snapshot)
    .filter(([, child]) => child !== undefined && !ended.has(child) && child.id !== child.sessionId)
    .map(([id]) => id);
  return [...living.flatMap((id) => [`xstate.snapshot.${id}`, `xstate.done.actor.${id}`, `xstate.error.actor.${id}`]), ...timers];
}

/** Whether the type belongs to a timer, or to an actor that the machine starts: such an event comes only when it can. */
function isAnswerTo(type: string, { children }: AnyMachineSnapshot, started: ReadonlySet<string>): boolean {
  if (type.startsWith('xstate.after.')) return true;
  const id = actorIdOf(type);
  return id !== undefined && (started.has(id) || id in children);
}

/** The actor that sends an event of this type, or undefined. */
export function actorIdOf(type: string): string | undefined {
  return /^xstate\.(?:done\.actor|error\.actor|snapshot)\.(.+)$/.exec(type)?.[1];
}

function answerOf(type: string): EventObject & XStateEvent {
  const actorId = actorIdOf(type);
  const answer = { type: type as XStateEvent['type'] };
  if (actorId === undefined) return answer;
  if (type.startsWith('xstate.error.')) return { ...answer, error: new Error(`${actorId} failed`), actorId };
  return type.startsWith('xstate.done.') ? { ...answer, output: undefined, actorId } : { ...answer, snapshot: undefined };
}
