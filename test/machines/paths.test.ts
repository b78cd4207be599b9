/**
 * The machines alone, walked by the paths that are generated from them, with real actors: an actor ends up where its path says,
 * and asks its ports for what the states promise. What a machine does in a world that keeps its promises is in test/model.
 */
import { describe, expect, test } from 'vitest';
import { type AnyMachineSnapshot, type AnyStateMachine, createActor, type EventObject } from 'xstate';
import {
  type ActivationContext,
  type ActivationKind,
  activationMachine,
  attachmentMachine,
  createActivationMachine,
  createAttachmentMachine,
  createRuntimeMachine,
  noActivationPorts,
  runtimeMachine,
} from '../../src/machines/index.ts';
import { edgeNames, pathSuite } from '../../src/testing/index.ts';
import { registerSuite } from '../../src/testing/vitest.ts';
import { everything, wide } from '../model/open-world.ts';

/** A real actor of a machine whose ports are counted. */
function run(make: (ports: never) => AnyStateMachine, portNames: readonly string[], input: unknown) {
  const asked = new Map<string, number>();
  const ports = portNames.map((port) => [port, () => void asked.set(port, (asked.get(port) ?? 0) + 1)]);
  const actor = createActor(make(Object.fromEntries(ports) as never), { input });
  return { actor: actor.start(), count: (port: string) => asked.get(port) ?? 0 };
}
type Run = ReturnType<typeof run>;

/** Each event is sent to the actor, and everywhere it is where the path is. */
const send = { '*': ({ actor }: Run, event: unknown) => actor.send(event as EventObject) };
const isSame = ({ actor }: Run, expected: AnyMachineSnapshot) => {
  const { value, status, context, output } = actor.getSnapshot() as AnyMachineSnapshot;
  expect(value).toEqual(expected.value);
  expect({ status, context, output }).toEqual({ status: expected.status, context: expected.context, output: expected.output });
};

const reports = (...actors: string[]) =>
  actors.flatMap((id) => [{ type: `xstate.done.actor.${id}` } as const, { type: `xstate.error.actor.${id}` } as const]);

const attachmentInput = { id: 'a', childrenMax: 2 };
registerSuite(
  pathSuite(attachmentMachine, {
    name: 'the attachment alone (S2.10, S4.3)',
    input: attachmentInput,
    events: reports('activation'),
    test: {
      arrange: () => run(createAttachmentMachine, ['stopChildren'], attachmentInput),
      events: send,
      states: {
        '*': isSame,
        open: ({ count }) => expect(count('stopChildren')).toBe(0),
        cut: ({ count }) => expect(count('stopChildren')).toBe(0),
        leaving: ({ count }) => expect(count('stopChildren')).toBe(1),
        gone: ({ count }) => expect(count('stopChildren')).toBe(1),
      },
    },
  }),
);

registerSuite(
  pathSuite(runtimeMachine, {
    name: 'the runtime alone (S4.6)',
    input: { agentsMax: 2 },
    events: reports('activation', 'attachment'),
    test: {
      arrange: () => run(createRuntimeMachine, ['stopAgents', 'closeResources'], { agentsMax: 2 }),
      events: send,
      states: {
        '*': isSame,
        open: ({ count }) => expect(count('stopAgents')).toBe(0),
        draining: ({ count }) => expect([count('stopAgents'), count('closeResources')]).toEqual([1, 0]),
        closing: ({ count }) => expect([count('stopAgents'), count('closeResources')]).toEqual([1, 1]),
        closed: ({ count }) => expect([count('stopAgents'), count('closeResources')]).toEqual([1, 1]),
      },
    },
  }),
);

/** The surroundings promise nothing: any event comes at any time, within the bounds. */
const activationBounds = { queuedMax: 2, offeredMax: 1, childrenMax: 1 };
const activationWalk = {
  events: ({ context }: { context: ActivationContext }) => everything({ ...wide, bounds: activationBounds }, context),
};

/** Which edges a kind cannot take, and why. Exact: the suite fails if it takes one. */
const beyond: Readonly<Record<ActivationKind, readonly (readonly [edges: RegExp, reason: string])[]>> = {
  local: [[/\[isExternal\]/, 'only an external run has no turn that an interrupt could end']],
  host: [
    [/\[isExternal\]/, 'only an external run has no turn that an interrupt could end'],
    [/^resident\.settled: |-> resident\.settled$/, 'a top-level agent never settles by itself (S2.10)'],
  ],
  external: [
    [/\[(canOffer|hasOffered|isOfferedAndWaking)\]/, 'it has no inbox (S2.10)'],
    [/\[(canAttach|hasChildren)\]/, 'it delegates nothing'],
    [/\[isHeldBack\]|\/ hold ->|interrupting\.woken: /, 'an interrupt stops its one execution (S4.2)'],
    [/idle: always \[hasMail\]|turn\.ended \/ noteOutcome -> resident\.waiting$/, 'it has nothing to wait for while it runs'],
    [/^releasing\.emptying: release\.expired/, 'it is never kept by a child or a message'],
  ],
};

const kinds = ['local', 'external', 'host'] as const;

describe.each(kinds)('the activation alone, of kind %s', (kind) => {
  const input = { id: 'a', kind, bounds: activationBounds };
  const edges = edgeNames(activationMachine).flatMap((edge) => {
    const reason = beyond[kind].find(([pattern]) => pattern.test(edge))?.[1];
    return reason === undefined ? [] : [[edge, reason] as const];
  });
  registerSuite(
    pathSuite(activationMachine, {
      ...activationWalk,
      input,
      unreachable: Object.fromEntries(edges),
      test: {
        arrange: () => run(createActivationMachine, Object.keys(noActivationPorts), input),
        events: send,
        states: {
          '*': isSame,
          resident: ({ count }) => expect([count('announceStarted'), count('announceEnded')]).toEqual([1, 0]),
          releasing: ({ count }) => expect(count('stopChildren')).toBe(1),
          'releasing.notifying': ({ count }) => expect([count('returnCapacity'), count('announceEnded')]).toEqual([1, 1]),
          released: ({ count }) => expect(count('announceEnded')).toBe(count('announceStarted')),
        },
      },
    }),
  );
});

test('every edge of the activation is within reach of one kind or another', () => {
  const isBeyond = (edge: string, kind: ActivationKind) => beyond[kind].some(([pattern]) => pattern.test(edge));
  expect(edgeNames(activationMachine).filter((edge) => kinds.every((kind) => isBeyond(edge, kind)))).toEqual([]);
});
