/** The attachment and the runtime with what surrounds them: they count the same way, so one world serves both. */
import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import { type AttachmentContext, attachmentMachine, type RuntimeContext, runtimeMachine } from '../../src/machines/index.ts';
import type { Model, Rule, Step } from './explore.ts';

export interface GroupWorld {
  /** Members that have not reported their end. */
  readonly members: number;
  readonly isClosed: boolean;
  readonly isAskedToEnd: boolean;
  /** How often the members were asked to stop. */
  readonly stops: number;
  readonly isBounded: boolean;
  readonly isExpired: boolean;
  readonly close: 'none' | 'asked' | 'answered';
}

const calm: GroupWorld = {
  members: 0,
  isClosed: false,
  isAskedToEnd: false,
  stops: 0,
  isBounded: false,
  isExpired: false,
  close: 'none',
};

interface Names {
  readonly joined: string;
  readonly closed?: string;
  readonly ended: string;
  /** Its session is another owner's: it ends as if it was asked to. */
  readonly lost?: string;
  readonly expired: string;
  readonly reports: readonly string[];
  readonly stop: string;
  readonly close?: string;
  /** Whether it ends without those that are left when the bound has passed. */
  readonly givesUp: boolean;
}

const attachmentNames: Names = {
  joined: 'child.attached',
  closed: 'delegation.closed',
  ended: 'leave.requested',
  lost: 'fence.lost',
  expired: 'release.expired',
  reports: ['xstate.done.actor.activation', 'xstate.error.actor.activation'],
  stop: 'stopChildren',
  givesUp: false,
};

const runtimeNames: Names = {
  joined: 'agent.opened',
  ended: 'close.requested',
  expired: 'drain.expired',
  reports: [
    'xstate.done.actor.activation',
    'xstate.error.actor.activation',
    'xstate.done.actor.attachment',
    'xstate.error.actor.attachment',
  ],
  stop: 'stopAgents',
  close: 'closeResources',
  givesUp: true,
};

/** A report can come late or twice, so reports are possible even where nobody is left. */
function options(names: Names, snapshot: AnyMachineSnapshot, world: GroupWorld): EventObject[] {
  return [
    ...names.reports.map((type) => ({ type })),
    ...(world.isBounded ? [{ type: names.expired }] : []),
    ...(world.close === 'asked' ? [{ type: 'resources.closed' }] : []),
    ...(snapshot.can({ type: names.joined } as never) ? [{ type: names.joined }] : []),
    ...(names.closed ? [{ type: names.closed }] : []),
    { type: names.ended },
    ...(names.lost ? [{ type: names.lost }] : []),
  ];
}

function follow(names: Names, world: GroupWorld, event: EventObject | undefined, effects: readonly string[]): GroupWorld {
  let next = world;
  const type = event?.type ?? 'start';
  if (type === names.joined) next = { ...next, members: next.members + 1 };
  if (names.reports.includes(type)) next = { ...next, members: Math.max(0, next.members - 1) };
  if (type === names.closed) next = { ...next, isClosed: true };
  if (type === names.ended || type === names.lost) next = { ...next, isClosed: true, isAskedToEnd: true };
  if (type === names.expired) next = { ...next, isBounded: false, isExpired: true };
  if (type === 'resources.closed') next = { ...next, close: 'answered' };
  if (effects.includes(names.stop)) next = { ...next, isBounded: true, stops: next.stops + 1 };
  if (names.close && effects.includes(names.close)) next = { ...next, close: 'asked' };
  return next;
}

function rulesOf(names: Names, countOf: (snapshot: AnyMachineSnapshot) => number): Record<string, Rule<GroupWorld>> {
  const isDone = ({ after }: Step<GroupWorld>) => after.snapshot.status === 'done';
  return {
    'is never in error': ({ after }) => (after.snapshot.status === 'error' ? `in error: ${after.snapshot.error}` : undefined),
    'counts what the world counts': ({ after }) => {
      const count = countOf(after.snapshot);
      return count === after.world.members || (names.givesUp && after.world.isExpired && count === 0)
        ? undefined
        : `the machine says ${count}, the world ${after.world.members}`;
    },
    'admits nobody once it is closed (S4.3, S4.6)': ({ before, event }) =>
      event?.type === names.joined && before?.world.isClosed ? 'one more was admitted' : undefined,
    'asks its members to stop once, when it is asked to end (S4.6)': ({ after }) =>
      after.world.stops === (after.world.isAskedToEnd ? 1 : 0) ? undefined : `asked ${after.world.stops} times`,
    'closes what it owns once all have left, and only then (S4.6)': ({ before, effects, after }) => {
      if (!names.close || !effects.includes(names.close)) return undefined;
      if (before?.world.close !== 'none') return 'closed before';
      return after.world.members === 0 || (names.givesUp && after.world.isExpired)
        ? undefined
        : `${after.world.members} are left`;
    },
    'ends when asked to, with nobody left, or, of a runtime, the bound passed': (step) => {
      const { world } = step.after;
      const isOver =
        world.isAskedToEnd &&
        (world.members === 0 || (names.givesUp && world.isExpired)) &&
        (!names.close || world.close === 'answered');
      return isDone(step) === isOver ? undefined : isOver ? 'does not end' : 'ended too early';
    },
  };
}

export function attachmentModel(machine: AnyStateMachine = attachmentMachine, childrenMax = 2): Model<GroupWorld> {
  return groupModel(
    'attachment',
    machine,
    { id: 'a', childrenMax },
    attachmentNames,
    ({ context }) => (context as AttachmentContext).children,
  );
}

export function runtimeModel(machine: AnyStateMachine = runtimeMachine, agentsMax = 2): Model<GroupWorld> {
  return groupModel('runtime', machine, { agentsMax }, runtimeNames, ({ context }) => (context as RuntimeContext).agents);
}

function groupModel(
  name: string,
  machine: AnyStateMachine,
  input: unknown,
  names: Names,
  countOf: (snapshot: AnyMachineSnapshot) => number,
): Model<GroupWorld> {
  const commands = [names.joined, names.closed, names.ended, names.lost];
  return {
    name,
    machine,
    input,
    effectNames: new Set([names.stop, ...(names.close ? [names.close] : [])]),
    start: () => calm,
    options: (snapshot, world) => options(names, snapshot, world),
    follow: (world, event, effects) => follow(names, world, event, effects),
    keyOf: (snapshot) => JSON.stringify([snapshot.value, snapshot.status, countOf(snapshot)]),
    rules: rulesOf(names, countOf),
    isAnswer: ({ type }) => !commands.includes(type),
    isExpiry: ({ type }) => type === names.expired || type === 'resources.closed',
  };
}
