/**
 * The orders in which an external child can be started, answer and be stopped: paths of the activation machine together with what
 * the suite can bring about. The machine says what follows; nothing here repeats its rules.
 */
import { type AnyMachineSnapshot, type EventObject, initialTransition, transition } from 'xstate';
import { activationMachine } from '../../../machines/activation.ts';
import { type ActivationPorts, noActivationPorts } from '../../../machines/activation-ports.ts';

/** What the suite can do, one at a time. */
export type OrderStep =
  /** The caller's signal fires. Before publication only; after it the signal has no power. */
  | 'abort'
  /** The provider's answer to the start reaches the runtime. */
  | 'start'
  /** The result of the run reaches the runtime. */
  | 'result'
  /** What the run's `dispose` gave reaches the runtime. */
  | 'disposal'
  | 'dispose'
  | 'interrupt'
  | 'drain'
  | 'close';

type Effect = keyof ActivationPorts;
const effectNames: ReadonlySet<string> = new Set(Object.keys(noActivationPorts));

/** Where a path has come to. */
export interface OrderState {
  readonly snapshot: AnyMachineSnapshot;
  /** How often each effect was asked for. */
  readonly effects: Readonly<Partial<Record<Effect, number>>>;
  readonly isStarted: boolean;
  readonly hasResult: boolean;
  readonly isDisposed: boolean;
  readonly isClosed: boolean;
}

export function firstState(): OrderState {
  const [snapshot, actions] = initialTransition(activationMachine, { id: 'child', kind: 'external' });
  const start = { snapshot, effects: {}, isStarted: false, hasResult: false, isDisposed: false, isClosed: false };
  return settle(start, actions);
}

/** What can be done next. */
export function stepsFrom(state: OrderState): readonly OrderStep[] {
  const { snapshot, effects, isStarted, hasResult, isDisposed, isClosed } = state;
  if (snapshot.status !== 'active') return [];
  const isPublished = effects.announceStarted !== undefined;
  const isAsked = effects.stopTurn !== undefined || effects.disposeResources !== undefined;
  const steps: (OrderStep | false)[] = [
    !isStarted && 'start',
    !isStarted && snapshot.matches({ materializing: 'opening' }) && 'abort',
    isPublished && !hasResult && 'result',
    isPublished && isAsked && !isDisposed && 'disposal',
    isPublished && !isClosed && 'dispose',
    isPublished && !isClosed && 'interrupt',
    !isClosed && 'drain',
    !isClosed && 'close',
  ];
  return steps.filter((step) => step !== false);
}

export function nextState(state: OrderState, step: OrderStep): OrderState {
  switch (step) {
    case 'start':
      return send({ ...state, isStarted: true }, isStopped(state) ? { type: 'activation.failed' } : materialized);
    case 'result':
      return send({ ...state, hasResult: true }, { type: 'turn.ended', outcome: 'completed' } as EventObject);
    case 'disposal': {
      const disposed = { ...state, isDisposed: true };
      return state.snapshot.matches({ releasing: 'disposing' }) ? send(disposed, { type: 'resources.disposed' }) : disposed;
    }
    case 'interrupt':
      return send(state, { type: 'interrupt.requested' });
    case 'close':
      return send({ ...state, isClosed: true }, dispose);
    default:
      return send(state, dispose);
  }
}

/** Each state's shortest order and one step more, without those that only begin another; the longest first. */
export function orders(): readonly (readonly OrderStep[])[] {
  const shortest = new Map<string, readonly OrderStep[]>([[keyOf(firstState()), []]]);
  const found: (readonly OrderStep[])[] = [];
  for (const path of shortest.values()) {
    const state = path.reduce(nextState, firstState());
    for (const step of stepsFrom(state)) {
      const longer = [...path, step];
      found.push(longer);
      const key = keyOf(nextState(state, step));
      if (!shortest.has(key)) shortest.set(key, longer);
    }
  }
  const isBeginning = (path: readonly OrderStep[]) =>
    found.some((other) => other.length > path.length && path.every((step, index) => step === other[index]));
  return found.filter((path) => !isBeginning(path)).sort((one, other) => other.length - one.length);
}

const materialized = { type: 'activation.materialized', queued: 1, parked: 0 } as EventObject;
const dispose = { type: 'dispose.requested', mail: 'discard' } as EventObject;

function isStopped({ snapshot }: OrderState): boolean {
  return snapshot.matches({ materializing: 'aborting' });
}

function send(state: OrderState, event: EventObject): OrderState {
  if (state.snapshot.status !== 'active') return state;
  const [snapshot, actions] = transition(activationMachine, state.snapshot as never, event as never);
  return settle({ ...state, snapshot: snapshot as AnyMachineSnapshot }, actions);
}

/** What an effect of an external child answers by itself. */
const answers: Partial<Record<Effect, EventObject>> = {
  beginTurn: { type: 'message.claimed', queued: 1, parked: 0 } as EventObject,
  seal: { type: 'session.sealed' },
  flush: { type: 'session.flushed' },
  capture: { type: 'result.captured' },
  notify: { type: 'parent.notified' },
};

function settle(before: OrderState, actions: readonly { readonly type: string }[]): OrderState {
  let state = before;
  for (const { type } of actions) {
    if (!effectNames.has(type)) continue;
    const effect = type as Effect;
    state = { ...state, effects: { ...state.effects, [effect]: (state.effects[effect] ?? 0) + 1 } };
    const answer = effect === 'disposeResources' && state.isDisposed ? { type: 'resources.disposed' } : answers[effect];
    if (answer !== undefined) state = send(state, answer);
  }
  return state;
}

function keyOf({ snapshot, effects, isStarted, hasResult, isDisposed, isClosed }: OrderState): string {
  const asked = [effects.announceStarted, effects.stopTurn !== undefined, effects.announceEnded];
  return JSON.stringify([snapshot.value, snapshot.status, asked, isStarted, hasResult, isDisposed, isClosed]);
}
