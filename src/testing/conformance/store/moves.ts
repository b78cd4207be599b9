/**
 * One call of a random history. A move is a kind and a seed: which session, owner, number and events it names is decided when it
 * is played, against the model of that moment, so that a history stays a history when moves are taken out of it.
 */
import type { NewSessionEvent, SessionHeader } from '../../../sessions/event.ts';
import type { SessionId } from '../../../sessions/ids.ts';
import type { SessionStore } from '../../../sessions/store.ts';
import { Random } from '../../simulation/random.ts';
import { leaseMs } from './bench.ts';
import type { Expected, ModelSession, StoreModel } from './model.ts';
import { plausibleEvents } from './plausible-events.ts';
import { header, sessionId } from './samples.ts';

export interface Move {
  readonly kind: MoveKind;
  readonly seed: number;
  /** False: the next call is made before this one is answered. */
  readonly waits: boolean;
}

type Method = Exclude<keyof SessionStore, 'leaseMs' | 'close'>;
export type MoveKind = Method | 'step' | 'reopen';

/** What a move comes to: a call of the store and what it must answer. */
export interface Call {
  readonly text: string;
  readonly expected: Expected;
  issue(store: SessionStore): Promise<unknown>;
}

const weights: Readonly<Record<Method | 'step', number>> = {
  create: 4,
  append: 12,
  claim: 4,
  renew: 1,
  handBack: 2,
  check: 2,
  remove: 1,
  head: 2,
  read: 2,
  children: 1,
  pending: 3,
  roots: 1,
  step: 3,
};
const kinds = Object.entries(weights).flatMap(([kind, weight]) => Array<MoveKind>(weight).fill(kind as MoveKind));
const owners = ['a', 'b'] as const;
const ids = ['s1', 's2', 's3'].map(sessionId);
const steps = [1, leaseMs / 3, leaseMs - 1, leaseMs, leaseMs * 2];

export function randomMoves(random: Random, count: number, canReopen: boolean): readonly Move[] {
  const all = canReopen ? [...kinds, 'reopen' as const] : kinds;
  return Array.from({ length: count }, () => {
    return { kind: random.pick(all), seed: random.below(1_000_000), waits: random.chance(0.5) };
  });
}

export function stepOf(move: Move): number {
  return new Random(move.seed).pick(steps);
}

/** Plays the move in the model. Undefined if the port leaves the answer open at this moment. */
export function callOf(move: Move & { readonly kind: Method }, model: StoreModel): Call | undefined {
  const random = new Random(move.seed);
  const owner = random.pick(owners);
  const known = move.kind === 'create' || random.chance(0.1) ? [] : [...model.sessions.keys()];
  const id = random.pick(known.length > 0 ? known : ids);
  const session = model.sessions.get(id);
  const epoch = epochFor(session, random);
  switch (move.kind) {
    case 'create':
      return creation(model, id, owner, random);
    case 'append':
      return addition(model, id, epoch, random);
    case 'claim':
      if (session !== undefined && session.owner !== owner && model.held(session) === 'either') return undefined;
      return call(`claim(${id}, ${owner})`, model.claim(id, owner), (store) => store.claim(id, owner));
    case 'renew':
      return call(`renew(${owner})`, model.renew(owner), (store) => store.renew(owner));
    case 'read': {
      const from = random.below(4);
      return call(`read(${id}, ${from})`, model.read(id, from), (store) => store.read(id, from));
    }
    case 'handBack':
    case 'check':
    case 'remove': {
      const { kind } = move;
      return call(`${kind}(${id}, epoch ${epoch})`, model[kind](id, epoch), (store) => store[kind](id, epoch));
    }
    case 'head':
    case 'children': {
      const { kind } = move;
      return call(`${kind}(${id})`, model[kind](id), (store): Promise<unknown> => store[kind](id));
    }
    case 'pending':
    case 'roots': {
      const { kind } = move;
      return call(`${kind}()`, model[kind](), (store): Promise<unknown> => store[kind]());
    }
  }
}

/** The newest, mostly. */
function epochFor(session: ModelSession | undefined, random: Random): number {
  return Math.max(0, (session?.epoch ?? 1) + random.pick([0, 0, 0, -1, 1]));
}

function creation(model: StoreModel, id: SessionId, owner: string, random: Random): Call {
  const seed = random.chance(0.3) ? plausibleEvents([], random) : [];
  const given: SessionHeader = header(id, {
    createdAt: random.below(1_000_000_000),
    delegationDepth: random.below(2),
    isSeeded: seed.length > 0,
    inheritedEvents: seed.length,
  });
  const events = [...seed, ...plausibleEvents([], random)];
  return call(`create(${id}, ${owner}, ${named(events)})`, model.create(given, owner, events), (store) =>
    store.create(structuredClone(given), owner, structuredClone(events)),
  );
}

function addition(model: StoreModel, id: SessionId, epoch: number, random: Random): Call {
  const session = model.sessions.get(id);
  const seq = Math.max(0, (session?.events.length ?? 0) + random.pick([0, 0, 0, 0, 0, -1, 1]));
  const own = session?.events.slice(session.header.inheritedEvents) ?? [];
  const events = plausibleEvents(own, random);
  const text = `append(${id}, at ${seq} epoch ${epoch}, ${named(events)})`;
  return call(text, model.append(id, { seq, epoch }, events), (store) =>
    store.append(id, { seq, epoch }, structuredClone(events)),
  );
}

function call(text: string, expected: Expected, issue: Call['issue']): Call {
  return { text, expected: snapshotOf(expected), issue };
}

/** As it is now: the model goes on. */
function snapshotOf(expected: Expected): Expected {
  return 'value' in expected ? { ...expected, value: structuredClone(expected.value) } : expected;
}

function named(events: readonly NewSessionEvent[]): string {
  return `[${events.map(({ type }) => type).join(', ')}]`;
}
