/** Walks a machine step by step and remembers every place it has been to. */
import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import { SubagentError } from '../../errors.ts';
import { partThatThrows } from './blame.ts';
import { type EventRules, type EventSource, eventSource } from './events.ts';
import { growthError } from './growth.ts';
import { nameEvent, namePath } from './part-names.ts';
import { placeName, stateKeyOf } from './state-key.ts';
import { firstStep, nextStep, type Step } from './step.ts';
import { nothingWaits, type Waiting, waitingAfter, waitingKey } from './waiting.ts';

/** Where a path has come to. Two places with one key are one state. */
export interface Place extends Omit<Step, 'actions'> {
  readonly key: string;
  readonly waiting: Waiting;
  readonly from: Place | undefined;
  /** Absent at the start. */
  readonly event: EventObject | undefined;
}

/** What is kept of a step: most lead to a state that is known, and their snapshots would fill the memory. */
interface Hop {
  readonly edges: readonly string[];
  /** The place, if the step was the first to reach its state. */
  readonly found: Place | undefined;
}

export interface WalkRules extends EventRules {
  readonly input?: unknown;
  readonly isDone?: ((snapshot: AnyMachineSnapshot) => boolean) | undefined;
  readonly stateKey?: ((snapshot: AnyMachineSnapshot) => string) | undefined;
  readonly statesMax?: number | undefined;
}

const statesMaxByDefault = 10_000;

export class Walker {
  readonly machine: AnyStateMachine;
  readonly start: Place;
  readonly #rules: WalkRules;
  readonly #source: EventSource;
  readonly #statesMax: number;
  /** The first place of each key. */
  readonly #states = new Map<string, Place>();
  readonly #hops = new WeakMap<Place, Map<EventObject, Hop>>();
  readonly #sent = new WeakMap<Place, readonly EventObject[]>();

  constructor(machine: AnyStateMachine, rules: WalkRules) {
    this.machine = machine;
    this.#rules = rules;
    this.#source = eventSource(machine, rules);
    this.#statesMax = rules.statesMax ?? statesMaxByDefault;
    if (!Number.isSafeInteger(this.#statesMax) || this.#statesMax < 1) {
      throw new SubagentError('INVALID_ARGUMENT', `statesMax must be a positive whole number, not ${this.#statesMax}`);
    }
    this.start = this.#place(this.#firstStep(), undefined, { type: 'xstate.init' });
  }

  /** The first place of each state, in the order in which they were found. */
  get states(): readonly Place[] {
    return [...this.#states.values()];
  }

  /** Where the event leads. The same place each time if the step found the state of the place; else an equal one. */
  next(from: Place, event: EventObject): Place {
    const hops = this.#hops.get(from) ?? new Map<EventObject, Hop>();
    this.#hops.set(from, hops);
    const found = hops.get(event)?.found;
    if (found) return found;
    const place = this.#place(this.#nextStep(from, event), from, event);
    hops.set(event, { edges: place.edges, found: this.firstOf(place) === place ? place : undefined });
    return place;
  }

  /** The names of the edges that the event takes. */
  edges(from: Place, event: EventObject): readonly string[] {
    return this.#hops.get(from)?.get(event)?.edges ?? this.next(from, event).edges;
  }

  /** The place that the event was the first to find, if it was. */
  found(from: Place, event: EventObject): Place | undefined {
    if (!this.#hops.get(from)?.has(event)) this.next(from, event);
    return this.#hops.get(from)?.get(event)?.found;
  }

  /** The place by which the state of a place was found. */
  firstOf(place: Place): Place {
    return this.#states.get(place.key) ?? place;
  }

  /** What can come at a place: nothing, if it is over there. */
  sent(place: Place): readonly EventObject[] {
    const events = this.#sent.get(place) ?? (this.isOver(place) ? [] : this.#source(place.snapshot, place.waiting));
    this.#sent.set(place, events);
    return events;
  }

  isOver({ snapshot }: Place): boolean {
    return snapshot.status !== 'active' || this.#rules.isDone?.(snapshot) === true;
  }

  /** `INVALID_ARGUMENT` if a state is not what it was: then an action has changed a context that other states share. */
  check(): void {
    for (const place of this.#states.values()) {
      if (this.#keyOf(place) === place.key) continue;
      const { machine } = this;
      const where = `"${placeName(place.snapshot)}" after ${namePath(eventsTo(place))}`;
      throw new SubagentError(
        'INVALID_ARGUMENT',
        `an action of ${machine.id} changes the context in place: state ${where} is no longer what it was. Assign copies instead.`,
      );
    }
  }

  #place(step: Step, from: Place | undefined, event: EventObject): Place {
    const waiting = this.#rules.includesActorsAndTimers
      ? waitingAfter(from?.waiting ?? nothingWaits, from?.snapshot, event, step)
      : nothingWaits;
    const { snapshot, edges, entered } = step;
    const key = this.#keyOf({ snapshot, waiting });
    const place: Place = { snapshot, edges, entered, waiting, key, from, event: from === undefined ? undefined : event };
    if (this.#states.has(place.key)) return place;
    this.#states.set(place.key, place);
    if (this.#states.size > this.#statesMax)
      throw growthError(
        this.machine,
        this.states.map(({ snapshot }) => snapshot),
      );
    return place;
  }

  #keyOf({ snapshot, waiting }: Pick<Place, 'snapshot' | 'waiting'>): string {
    return `${(this.#rules.stateKey ?? stateKeyOf)(snapshot)} ${waitingKey(waiting)}`;
  }

  #firstStep(): Step {
    const { machine } = this;
    const { input } = this.#rules;
    const step = firstStep(machine, input);
    if (step.snapshot.status !== 'error') return step;
    const culprit = partThatThrows(machine, (watched) => firstStep(watched, input));
    throw failure(`${machine.id} cannot start with the given input`, step.snapshot.error, culprit);
  }

  #nextStep(from: Place, event: EventObject): Step {
    const { machine } = this;
    try {
      return nextStep(machine, from.snapshot, event);
    } catch (error) {
      const culprit = partThatThrows(machine, (watched) => nextStep(machine, { ...from.snapshot, machine: watched }, event));
      const where = `in state "${placeName(from.snapshot)}" (${namePath([...eventsTo(from), event])})`;
      throw failure(`${machine.id} throws on ${nameEvent(event)} ${where}`, error, culprit);
    }
  }
}

/** From the start. */
export function eventsTo(place: Place): EventObject[] {
  const events: EventObject[] = [];
  for (let at: Place | undefined = place; at?.event !== undefined; at = at.from) events.unshift(at.event);
  return events;
}

function failure(what: string, error: unknown, culprit: string | undefined): SubagentError {
  const why = error instanceof Error ? error.message : String(error);
  const part = culprit ?? 'something written inline';
  return new SubagentError('INVALID_ARGUMENT', `${what}, from ${part}: ${why}`, { cause: error });
}
