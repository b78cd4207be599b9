/**
 * Edges that nothing outside can bring a live agent to take: the machine is ready for what the runtime never does. Their
 * events are sent to the live actor itself. The list is exact: an edge that the world reaches, or that is gone, may not stay.
 */
import { type AnyMachineSnapshot, type EventObject, transition } from 'xstate';
import type { ActivationContext } from '../../../src/machines/index.ts';
import { nextStep } from '../../../src/testing/graph/step.ts';
import type { Model } from '../explore.ts';
import { everything, wide } from '../open-world.ts';
import type { Reached } from '../paths.ts';
import type { LiveWorld } from './live-facts.ts';
import { complete } from './live-model.ts';

const neverFails =
  'no actor of ours fails: its actions are total and every child has an error path; the handler is the last defence';
const waitsForOpening = 'a message to an agent that opens is written once it is open; until then nothing answers';
const fenceFirst = 'a session reports the fence as lost before the sender of the write hears that its outcome is unknown';

export const directEdges: Readonly<Record<string, string>> = {
  'activation: xstate.error.actor.activation [hasChildren] / forgetChild -> (stays)': neverFails,
  'activation: xstate.error.actor.activation / ignoreLateChild -> (stays)': neverFails,
  'materializing.opening: message.accepted [isOfferedAndWaking] / countAccepted, dropHold -> (stays)': waitsForOpening,
  'materializing.opening: message.uncertain [hasOffered] / forgetOffered, noteFenced -> materializing.aborting': waitsForOpening,
  'materializing.aborting: message.accepted [hasOffered] / forgetOffered -> (stays)': waitsForOpening,
  'materializing.aborting: message.parked [hasOffered] / forgetOffered -> (stays)': waitsForOpening,
  'materializing.aborting: message.uncertain [hasOffered] / forgetOffered, noteFenced -> (stays)': waitsForOpening,
  'materializing.aborting: fence.lost / noteFenced -> (stays)':
    'it takes a stop while an opening closes a turn that was cut off, and the loss of the session in that write',
  'resident: message.uncertain [hasOffered] / forgetOffered, noteFenced -> releasing.emptying': fenceFirst,
  'resident.running: message.uncertain [hasOffered] / forgetOffered, noteFenced -> releasing.stopping': fenceFirst,
  'releasing.flushing: session.flushed [isFenced] -> releasing.disposing':
    'the writer that could lose the fence is busy with the flush itself, and then the flush fails',
};

export const attachmentDirect: Readonly<Record<string, string>> = {
  'attachment: xstate.error.actor.activation [hasChildren] / forgetChild -> (stays)': neverFails,
  'attachment: xstate.error.actor.activation / ignoreLateChild -> (stays)': neverFails,
};

export const runtimeDirect: Readonly<Record<string, string>> = {
  'runtime: xstate.error.actor.activation [hasAgents] / forgetAgent -> (stays)': neverFails,
  'runtime: xstate.error.actor.activation / ignoreLateAgent -> (stays)': neverFails,
  'runtime: xstate.error.actor.attachment [hasAgents] / forgetAgent -> (stays)': neverFails,
  'runtime: xstate.error.actor.attachment / ignoreLateAgent -> (stays)': neverFails,
};

export interface DirectStep {
  readonly from: Reached<LiveWorld>;
  readonly events: readonly EventObject[];
}

/** A state in which a live agent can stay, and the one or two events that take the edge from there. */
export function directStep(
  model: Model<LiveWorld>,
  reached: readonly Reached<LiveWorld>[],
  edge: string,
): DirectStep | undefined {
  const resting = reached.filter(
    ({ snapshot, events }) => snapshot.status === 'active' && complete(model, events).length === events.length,
  );
  const takes = (snapshot: AnyMachineSnapshot, event: EventObject) =>
    edge.includes(`: ${event.type} `) && nextStep(model.machine, snapshot, event).edges.includes(edge);
  for (const from of resting) {
    const event = eventsIn(from.snapshot).find((candidate) => takes(from.snapshot, candidate));
    if (event) return { from, events: [event] };
  }
  for (const from of resting) {
    for (const first of eventsIn(from.snapshot)) {
      const [snapshot] = transition(model.machine, from.snapshot, first);
      if (snapshot.status !== 'active') continue;
      const event = eventsIn(snapshot).find((candidate) => takes(snapshot, candidate));
      if (event) return { from, events: [first, event] };
    }
  }
  return undefined;
}

function eventsIn(snapshot: AnyMachineSnapshot): readonly EventObject[] {
  return everything(wide, snapshot.context as ActivationContext);
}
