/** The runtime: admits top-level agents until it is asked to close, then waits until the last has left. */
import { assign, setup } from 'xstate';

export interface RuntimePorts {
  /** Asks every top-level agent to leave and bounds the wait; `drain.expired` when the bound has passed. */
  stopAgents(): void;
  /** Closes what the runtime owns; `resources.closed` when done, whatever came of it. */
  closeResources(): void;
}

export interface RuntimeContext {
  /** Top-level agents that have not left. */
  readonly agents: number;
  readonly agentsMax: number;
  readonly hasFailedStep: boolean;
}

export type RuntimeEvent =
  | { readonly type: 'agent.opened' | 'close.requested' | 'drain.expired' | 'resources.closed' }
  | {
      readonly type:
        | 'xstate.done.actor.activation'
        | 'xstate.error.actor.activation'
        | 'xstate.done.actor.attachment'
        | 'xstate.error.actor.attachment';
    };

export interface RuntimeInput {
  /** Keeps the graph finite for path generation. */
  readonly agentsMax?: number;
}

export function createRuntimeMachine(ports: RuntimePorts) {
  return setup({
    types: {
      context: {} as RuntimeContext,
      events: {} as RuntimeEvent,
      input: {} as RuntimeInput,
      tags: {} as 'admitting',
    },
    guards: {
      canOpen: ({ context }) => context.agents < context.agentsMax,
      hasAgents: ({ context }) => context.agents > 0,
      isEmpty: ({ context }) => context.agents === 0,
    },
    actions: {
      stopAgents: () => ports.stopAgents(),
      closeResources: () => ports.closeResources(),
      countAgent: assign({ agents: ({ context }) => context.agents + 1 }),
      forgetAgent: assign({ agents: ({ context }) => context.agents - 1 }),
      forgetRest: assign({ agents: 0, hasFailedStep: true }),
      /** A late or second report; unhandled it would kill this actor. */
      ignoreLateAgent: assign({}),
    },
  }).createMachine({
    id: 'runtime',
    initial: 'open',
    // visualizers start a machine without an input
    context: ({ input }: { input?: RuntimeInput }) => ({
      agents: 0,
      agentsMax: input?.agentsMax ?? Number.POSITIVE_INFINITY,
      hasFailedStep: false,
    }),
    on: {
      'xstate.done.actor.activation': { guard: 'hasAgents', actions: 'forgetAgent' },
      'xstate.done.actor.attachment': { guard: 'hasAgents', actions: 'forgetAgent' },
      'xstate.error.actor.activation': [{ guard: 'hasAgents', actions: 'forgetAgent' }, { actions: 'ignoreLateAgent' }],
      'xstate.error.actor.attachment': [{ guard: 'hasAgents', actions: 'forgetAgent' }, { actions: 'ignoreLateAgent' }],
    },
    states: {
      open: {
        tags: 'admitting',
        on: { 'agent.opened': { guard: 'canOpen', actions: 'countAgent' }, 'close.requested': 'draining' },
      },
      draining: {
        entry: 'stopAgents',
        always: { guard: 'isEmpty', target: 'closing' },
        on: { 'drain.expired': { actions: 'forgetRest' } },
      },
      closing: { entry: 'closeResources', on: { 'resources.closed': 'closed' } },
      closed: { type: 'final' },
    },
  });
}

/** The machine without effects: for visualizers, path generators and the curious. */
export const runtimeMachine = createRuntimeMachine({ stopAgents: () => undefined, closeResources: () => undefined });
