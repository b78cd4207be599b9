/** A runtime on a scripted driver: no model, no network, so that what is measured is the runtime. Uses the public API only. */
import {
  type Agent,
  type AgentDriver,
  createRuntime,
  type OpenAgent,
  type SessionStore,
  type SubagentActivation,
  type SubagentRuntime,
  type Turn,
  type TurnEnd,
} from '../src/index.ts';
import { spawnProvider } from '../src/providers/spawn.ts';
import { memoryStore } from '../src/sessions/stores/memory.ts';

export interface WorldSetup {
  /** Default: memory. The world does not close it. */
  readonly store?: SessionStore;
  /** What a child does in a turn. The top-level agent always waits until it is closed. */
  readonly turn: (turn: Turn) => Promise<TurnEnd>;
  /** What the top-level agent does instead of waiting. */
  readonly rootTurn?: (turn: Turn) => Promise<TurnEnd>;
}

export interface World {
  readonly runtime: SubagentRuntime;
  readonly store: SessionStore;
  readonly root: OpenAgent;
  start(parent?: Agent): Promise<SubagentActivation>;
  /** Throws the first fault that nobody was there to hear. */
  close(): Promise<void>;
}

export const unlimited = Number.POSITIVE_INFINITY;
const go = [{ type: 'text', text: 'go' }] as const;
const answer = [{ type: 'text', text: 'done' }] as const;
const cwd = process.cwd();

/** One model call with a short answer, at once. */
export async function instantTurn(turn: Turn): Promise<TurnEnd> {
  await turn.record({ role: 'assistant', content: answer });
  return { stopReason: 'completed' };
}

/** Keeps its agent busy until it is stopped. */
export function busyTurn({ signal }: Turn): Promise<TurnEnd> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ stopReason: 'aborted' }), { once: true });
  });
}

/** Turns that keep their agents busy, and tell who is. */
export class BusyTurns {
  readonly #agents = new Map<string, PromiseWithResolvers<Agent>>();

  readonly turn = (turn: Turn): Promise<TurnEnd> => {
    this.#entry(turn.agent.id).resolve(turn.agent);
    return busyTurn(turn);
  };

  /** Resolves once the agent is in its turn. */
  agent(id: string): Promise<Agent> {
    return this.#entry(id).promise;
  }

  forget(): void {
    this.#agents.clear();
  }

  #entry(id: string): PromiseWithResolvers<Agent> {
    const entry = this.#agents.get(id) ?? Promise.withResolvers<Agent>();
    this.#agents.set(id, entry);
    return entry;
  }
}

/** The top-level agent is in a turn when this resolves. Limits that would end a measurement are lifted. */
export async function openWorld({ store = memoryStore(), turn, rootTurn = busyTurn }: WorldSetup): Promise<World> {
  const faults: unknown[] = [];
  const runtime = createRuntime({
    store,
    capacity: { perRoot: unlimited, inAll: unlimited },
    limits: { depthMax: 1_000, childrenPerAgent: unlimited, inboxMessages: unlimited, inboxBytes: unlimited },
    onFault: ({ where, error }) => faults.push(new Error(`the runtime reported a fault: ${where}`, { cause: error })),
  });
  runtime.registerProvider(spawnProvider());
  const begun = Promise.withResolvers<void>();
  const driver: AgentDriver = {
    name: 'scripted',
    runTurn(given) {
      if (given.agent.depth > 0) return turn(given);
      begun.resolve();
      return rootTurn(given);
    },
  };
  const root = await runtime.openAgent({ cwd, composition: { driver } });
  await root.prompt('delegate');
  await begun.promise;
  const { signal } = new AbortController();
  return {
    runtime,
    store,
    root,
    start: (parent = root.agent) =>
      runtime.startActivation({
        provider: 'spawn',
        label: 'worker',
        request: { prompt: go, parent },
        signal,
        delivery: 'parent',
      }),
    async close() {
      await runtime.close();
      if (faults.length > 0) throw faults[0];
    },
  };
}
