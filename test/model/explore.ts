/**
 * Walks everything that a machine and its surroundings can do together.
 *
 * I1  A machine alone accepts any event at any time; only its surroundings know that a seal is answered once, after it was
 *     asked for. So a state here is a pair: the machine's snapshot and the world's account of what is owed.
 * I2  The world counts for itself (messages, children, turns) and never reads the machine's counts: it is the other opinion.
 * I3  Two pairs are one state if their keys are equal; keys hold every fact that a rule or an option reads.
 */
import { type AnyMachineSnapshot, type AnyStateMachine, type EventObject, initialTransition, transition } from 'xstate';

export interface Step<World> {
  /** Absent: the first step, that starts the machine. */
  readonly event: EventObject | undefined;
  readonly before: { readonly snapshot: AnyMachineSnapshot; readonly world: World } | undefined;
  readonly after: { readonly snapshot: AnyMachineSnapshot; readonly world: World };
  /** The names of the effects that the step asked for, in order. */
  readonly effects: readonly string[];
}

/** A rule says what is wrong with a step, or nothing. */
export type Rule<World> = (step: Step<World>) => string | undefined;

export interface Model<World> {
  readonly name: string;
  readonly machine: AnyStateMachine;
  readonly input: unknown;
  readonly effectNames: ReadonlySet<string>;
  start(): World;
  /** What can happen next. */
  options(snapshot: AnyMachineSnapshot, world: World): readonly EventObject[];
  /** The world after the event and after the effects that it led to. */
  follow(
    world: World,
    event: EventObject | undefined,
    effects: readonly string[],
    before: AnyMachineSnapshot | undefined,
    after: AnyMachineSnapshot,
  ): World;
  /** The part of the key that comes from the machine. */
  keyOf(snapshot: AnyMachineSnapshot): string;
  readonly rules: Readonly<Record<string, Rule<World>>>;
  /** Events that come by themselves: answers to what is owed. The others are commands. */
  isAnswer(event: EventObject): boolean;
  /** Events with which a bounded effect gives up. */
  isExpiry(event: EventObject): boolean;
}

export interface Found<World> {
  readonly snapshot: AnyMachineSnapshot;
  readonly world: World;
  readonly parent: string | undefined;
  readonly event: EventObject | undefined;
  readonly next: { readonly event: EventObject; readonly key: string }[];
}

export interface Violation {
  readonly rule: string;
  readonly what: string;
  readonly path: readonly string[];
}

export interface Exploration<World> {
  readonly states: ReadonlyMap<string, Found<World>>;
  /** The first violation of each rule, with the shortest path to it. */
  readonly violations: readonly Violation[];
}

export function firstStep<World>(model: Model<World>): Step<World> {
  const [snapshot, actions] = initialTransition(model.machine, model.input as never);
  const effects = effectsOf(model, actions);
  return {
    event: undefined,
    before: undefined,
    after: { snapshot, world: model.follow(model.start(), undefined, effects, undefined, snapshot) },
    effects,
  };
}

export function nextStep<World>(
  model: Model<World>,
  before: { readonly snapshot: AnyMachineSnapshot; readonly world: World },
  event: EventObject,
): Step<World> {
  const [snapshot, actions] = transition(model.machine, before.snapshot, event);
  const effects = effectsOf(model, actions);
  const world = model.follow(before.world, event, effects, before.snapshot, snapshot);
  return { event, before, after: { snapshot, world }, effects };
}

function effectsOf<World>(model: Model<World>, actions: readonly { readonly type: string }[]): string[] {
  return actions.map(({ type }) => type).filter((type) => model.effectNames.has(type));
}

export interface Extent {
  /** Stops a faulty machine from growing without end; reaching it is a violation of its own. */
  readonly statesMax?: number;
  readonly stopsAtViolation?: boolean;
}

export function explore<World>(
  model: Model<World>,
  { statesMax = 30_000, stopsAtViolation = false }: Extent = {},
): Exploration<World> {
  const states = new Map<string, Found<World>>();
  const broken = new Map<string, Violation>();
  const keyOf = ({ snapshot, world }: Step<World>['after']) =>
    snapshot.status === 'active' ? `${model.keyOf(snapshot)} ${worldKey(world)}` : snapshot.status;

  const judge = (step: Step<World>, parent: string | undefined) => {
    for (const [rule, check] of Object.entries(model.rules)) {
      if (broken.has(rule)) continue;
      const what = check(step);
      if (what !== undefined) broken.set(rule, { rule, what, path: [...pathTo(states, parent), nameEvent(step.event)] });
    }
  };
  const enter = (step: Step<World>, parent: string | undefined): string => {
    const key = keyOf(step.after);
    if (!states.has(key)) states.set(key, { ...step.after, parent, event: step.event, next: [] });
    return key;
  };

  const first = firstStep(model);
  judge(first, undefined);
  enter(first, undefined);
  for (const [key, found] of states) {
    if (stopsAtViolation && broken.size > 0) break;
    if (found.snapshot.status !== 'active') continue;
    if (states.size > statesMax) {
      broken.set('is finite', { rule: 'is finite', what: `more than ${statesMax} states`, path: pathTo(states, key) });
      break;
    }
    for (const event of model.options(found.snapshot, found.world)) {
      const step = nextStep(model, found, event);
      judge(step, key);
      found.next.push({ event, key: enter(step, key) });
    }
  }
  return { states, violations: [...broken.values()] };
}

/** The facts of a flat world, in its own order. */
export function worldKey(world: unknown): string {
  return Object.values(world as object).join(' ');
}

/** The events that lead to a state, by the shortest way. */
export function pathTo<World>(states: ReadonlyMap<string, Found<World>>, key: string | undefined): string[] {
  const path: string[] = [];
  for (
    let at = key === undefined ? undefined : states.get(key);
    at;
    at = at.parent === undefined ? undefined : states.get(at.parent)
  ) {
    path.unshift(nameEvent(at.event));
  }
  return path;
}

export function nameEvent(event: EventObject | undefined): string {
  if (event === undefined) return 'start';
  const { type, ...rest } = event;
  const details = Object.values(rest);
  return details.length === 0 ? type : `${type}(${details.join(', ')})`;
}

/** States from which no sequence of the allowed events leads to an ended machine. */
export function cannotEnd<World>({ states }: Exploration<World>, isAllowed: (event: EventObject) => boolean) {
  const sources = new Map<string, string[]>();
  for (const [key, { next }] of states) {
    for (const { event, key: target } of next) {
      if (!isAllowed(event)) continue;
      const known = sources.get(target);
      if (known) known.push(key);
      else sources.set(target, [key]);
    }
  }
  const good = new Set([...states].filter(([, { snapshot }]) => snapshot.status === 'done').map(([key]) => key));
  for (const key of good) for (const source of sources.get(key) ?? []) good.add(source);
  return [...states].filter(([key]) => !good.has(key)).map(([, found]) => found);
}

/** States that wait with no bounded effect under way: nothing is sure to move them. */
export function waitsWithoutDeadline<World>(model: Model<World>, { states }: Exploration<World>) {
  return [...states.values()].filter(
    ({ snapshot, next }) => snapshot.status === 'active' && !next.some(({ event }) => model.isExpiry(event)),
  );
}
