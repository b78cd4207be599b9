/** The attachment and the runtime, walked live: the same idea as for the activation, with a handful of events. */
import { type AnyActorRef, type AnyMachineSnapshot, type EventObject, initialTransition, transition } from 'xstate';
import { SubagentError } from '../../../src/errors.ts';
import type { AttachedAgent, OpenAgent } from '../../../src/registry/top-level-handle.ts';
import type { Model } from '../explore.ts';
import { namePath } from '../paths.ts';
import type { GroupWorld } from '../small-models.ts';
import { completed } from './held-provider.ts';
import { Stage } from './stage.ts';

const content = [{ type: 'text', text: 'go' }] as const;
const drainMs = 1_000;

export interface Group {
  readonly name: 'attachment' | 'runtime';
  actorOf(stage: Stage): AnyActorRef;
  open(stage: Stage): Promise<void>;
  /** What brings each event about. Events without an entry come by themselves. */
  readonly stimuli: Readonly<Record<string, (stage: Stage, ahead: readonly EventObject[]) => void | Promise<void>>>;
  /** Whether the event comes by itself after those before it. */
  follows(event: EventObject, before: readonly EventObject[]): boolean;
}

const has = (events: readonly EventObject[], type: string) => events.some((event) => event.type === type);

async function attach(stage: Stage): Promise<AttachedAgent> {
  const { runtime, composition, driver } = stage;
  const opening = runtime.attachAgent({ label: 'top', cwd: '/project', composition, deliver: () => undefined });
  await stage.rest();
  driver.opening.give();
  return opening;
}

export function attachmentGroup(): Group {
  let handle: AttachedAgent | undefined;
  const agent = () => {
    if (handle === undefined) throw new Error('nobody is attached');
    return handle.agent;
  };
  return {
    name: 'attachment',
    actorOf: (stage) => stage.registry.residents.get(agent().id)?.actor ?? stage.left(agent().id),
    async open(stage) {
      handle = await attach(stage);
      stage.remember(handle.id);
    },
    follows: () => false,
    stimuli: {
      'child.attached': (stage) => {
        stage.inside.starting.always();
        const request = { prompt: content, parent: agent() };
        const signal = new AbortController().signal;
        stage.call(stage.runtime.startActivation({ provider: 'inside', label: 'kid', request, signal, delivery: 'caller' }));
      },
      'delegation.closed': (stage) => stage.call(stage.runtime.drainDescendants([agent()])),
      'leave.requested': (stage) => stage.call(Promise.resolve(handle?.close())),
      'fence.lost': (stage) => {
        const { id } = agent();
        stage.store.inject({
          at: { method: 'check', session: id },
          fault: 'reject',
          error: new SubagentError('FENCED', 'taken'),
        });
        stage.call(Promise.resolve(stage.registry.residents.get(id)?.session?.check()));
      },
      'release.expired': (stage) => stage.advance(drainMs),
      'xstate.done.actor.activation': async (stage) => {
        stage.inside.ending.give(completed);
        await stage.rest();
        stage.inside.disposing.give();
      },
    },
  };
}

export function runtimeGroup(): Group {
  let attached: AttachedAgent | undefined;
  let host: OpenAgent | undefined;
  return {
    name: 'runtime',
    actorOf: (stage) => stage.registry.actor,
    open: async () => undefined,
    /** An attached agent without children leaves at once; a host that runs on a driver waits for it. */
    follows: (event, before) =>
      event.type === 'resources.closed' || (event.type === 'xstate.done.actor.attachment' && has(before, 'close.requested')),
    stimuli: {
      'agent.opened': async (stage, ahead) => {
        const report = ahead.find(({ type }) => type.startsWith('xstate.done.actor'));
        if (report?.type === 'xstate.done.actor.attachment') {
          attached = await attach(stage);
          return;
        }
        const { runtime, composition, driver } = stage;
        const opening = runtime.openAgent({ label: 'top', cwd: '/project', composition });
        await stage.rest();
        driver.opening.give();
        host = await opening;
      },
      'close.requested': (stage) => stage.call(stage.runtime.close()),
      'drain.expired': (stage) => stage.advance(drainMs + 2 * stage.bounds.notifyMs),
      'xstate.done.actor.activation': async (stage) => {
        stage.call(Promise.resolve(host?.close()));
        await stage.rest();
        stage.driver.releasing.give();
      },
      'xstate.done.actor.attachment': (stage) => stage.call(Promise.resolve(attached?.close())),
    },
  };
}

/** What can happen in the world: members report once, and nothing fails. */
export function liveGroupModel(model: Model<GroupWorld>): Model<GroupWorld> {
  return {
    ...model,
    options: (snapshot, world) =>
      model
        .options(snapshot, world)
        .filter(({ type }) => !type.startsWith('xstate.') || (type.startsWith('xstate.done') && world.members > 0))
        // a session is lost once
        .filter(({ type }) => type !== 'fence.lost' || snapshot.context.isFenced !== true)
        // only a host that runs on a driver can outlast the bound
        .filter(({ type }) => !(world.isExpired && type === 'xstate.done.actor.attachment'))
        .filter((event) => event.type.startsWith('xstate.') || snapshot.can(event as never)),
  };
}

/** Walks the events, then sends `direct` to the live actor itself; returns the edges taken. */
export async function performGroup(
  group: Group,
  model: Model<GroupWorld>,
  events: readonly EventObject[],
  direct: readonly EventObject[] = [],
): Promise<{ readonly stage: Stage; readonly taken: ReadonlySet<string> }> {
  const isExpiring = events.some(({ type }) => type.endsWith('.expired'));
  const stage = new Stage(isExpiring ? { drainMs, notifyMs: 1 } : {});
  await group.open(stage);
  for (let index = 0; index < events.length; ) {
    const event = events[index] as EventObject;
    await group.stimuli[event.type]?.(stage, events.slice(index + 1));
    do index++;
    while (index < events.length && group.follows(events[index] as EventObject, events.slice(0, index)));
    await stage.rest();
    compare(stage, group, model, events.slice(0, index));
  }
  const actor = group.actorOf(stage);
  for (const event of direct) actor.send(event);
  compare(stage, group, model, [...events, ...direct]);
  return { stage, taken: stage.of(actor).taken };
}

function compare(stage: Stage, group: Group, model: Model<GroupWorld>, events: readonly EventObject[]): void {
  const actor = group.actorOf(stage);
  const heard = stage.of(actor).heard.slice(0, events.length + 1);
  const types = (all: readonly EventObject[]) => all.map(({ type }) => type).join(' > ');
  if (types(heard) !== types(events))
    throw new Error(`on the path ${namePath(events)}\n  the ${group.name} heard ${types(heard)}`);
  let [snapshot]: [AnyMachineSnapshot, unknown] = initialTransition(model.machine, model.input as never);
  for (const event of heard) [snapshot] = transition(model.machine, snapshot, event);
  const live = model.keyOf(actor.getSnapshot());
  if (live !== model.keyOf(snapshot)) throw new Error(`on the path ${namePath(events)}\n  the ${group.name} is ${live}`);
}
