/** Walks one path with a live agent and compares, after each thing that happens, the actor with the machine alone. */
import { type AnyMachineSnapshot, type AnyStateMachine, type EventObject, initialTransition, transition } from 'xstate';
import type { RuntimeParts } from '../../../src/internal.ts';
import type { ActivationContext, ActivationEvent, ActivationKind } from '../../../src/machines/index.ts';
import { firstStep, type Model, nameEvent, nextStep } from '../explore.ts';
import { namePath } from '../paths.ts';
import { followsByItself, type LiveWorld } from './live-facts.ts';
import { openSubject } from './opening.ts';
import { Stage } from './stage.ts';
import { stimuli } from './stimuli.ts';

export interface Performance {
  readonly stage: Stage;
  /** The edges that the live actor took. */
  readonly taken: ReadonlySet<string>;
}

/** `direct` is sent to the live actor itself, after the path. Throws where the world goes another way than the path. */
export async function perform(
  kind: ActivationKind,
  model: Model<LiveWorld>,
  events: readonly EventObject[],
  { direct = [], parts = {} }: { readonly direct?: readonly EventObject[]; readonly parts?: RuntimeParts } = {},
): Promise<Performance> {
  const stage = new Stage(boundsFor(events), parts);
  const subject = await openSubject(stage, kind, events);
  let at = firstStep(model).after;
  compare(stage, model.machine, kind, []);
  for (let index = 0; index < events.length; ) {
    const event = events[index] as EventObject;
    const start = { at, index };
    const effects: string[] = [];
    do {
      const step = nextStep(model, at, events[index] as EventObject);
      at = step.after;
      effects.push(...step.effects);
      index++;
    } while (index < events.length && followsByItself(at.world, events[index] as EventObject));
    const together = events.slice(start.index, index);
    arm(stage, kind, effects, together);
    const stimulus = stimuli[event.type as ActivationEvent['type']];
    if (stimulus === undefined) throw new Error(`nothing in the world brings ${event.type} about`);
    const { isFenced, writes } = start.at.world;
    const isCancelled = start.at.world.materialize === 'cancelled';
    await stimulus({
      stage,
      subject,
      event,
      ahead: events.slice(start.index + 1),
      isFenced,
      hasWrites: writes !== '',
      isCancelled,
    });
    await stage.rest();
    compare(stage, model.machine, kind, events.slice(0, index));
  }
  if (direct.length > 0) {
    for (const event of direct) stage.actor.send(event);
    compare(stage, model.machine, kind, [...events, ...direct]);
    await stage.rest();
  }
  return { stage, taken: stage.of(stage.actor).taken };
}

/** Time is the last to speak: a bound that the path does not reach is far away. */
function boundsFor(events: readonly EventObject[]) {
  const has = (type: string) => events.some((event) => event.type === type);
  return { ...(has('turn.overdue') && { turnStopMs: 1_000 }), ...(has('release.expired') && { drainMs: 1_000_000 }) };
}

/** What the coming step will ask of the world is held, so that the path says when it is answered. */
function arm(stage: Stage, kind: ActivationKind, effects: readonly string[], together: readonly EventObject[]): void {
  if (kind === 'external') return;
  if (effects.includes('seal') || effects.includes('flush')) stage.holdNext('activation/ended');
  if (kind === 'host' && effects.includes('notify')) stage.holdHandBack();
  if (together.some(({ type }) => type === 'message.returned')) stage.rejectNext('inbox/claimed', 'STORE_FULL');
}

function compare(stage: Stage, machine: AnyStateMachine, kind: ActivationKind, events: readonly EventObject[]): void {
  const where = namePath(events);
  let [snapshot]: [AnyMachineSnapshot, unknown] = initialTransition(machine, { id: stage.adopted.id, kind } as never);
  const heard: EventObject[] = [];
  for (const event of stage.heard) {
    if (snapshot.status !== 'active') break;
    heard.push(event);
    [snapshot] = transition(machine, snapshot, event);
  }
  const expected = events.map(brief).join(' > ');
  const actual = heard.map(brief).join(' > ');
  if (actual !== expected) throw new Error(`on the path ${where}\n  the agent heard ${actual || 'nothing'}`);
  const live = stage.actor.getSnapshot() as AnyMachineSnapshot;
  const difference = differ(live, snapshot);
  if (difference !== undefined) throw new Error(`on the path ${where}\n  ${difference}`);
}

/** Outcomes and flags are the world's to choose; the counts are not. */
function brief(event: EventObject): string {
  const { queued, parked } = event as unknown as { readonly queued?: number; readonly parked?: number };
  return queued === undefined ? event.type : nameEvent({ type: event.type, queued, parked } as EventObject);
}

function differ(live: AnyMachineSnapshot, pure: AnyMachineSnapshot): string | undefined {
  const factsOf = ({ value, status, context }: AnyMachineSnapshot) => {
    const { id, bounds, ...facts } = context as ActivationContext;
    return JSON.stringify({ value, status, ...facts });
  };
  return factsOf(live) === factsOf(pure) ? undefined : `the agent is ${factsOf(live)}\n  the machine ${factsOf(pure)}`;
}
