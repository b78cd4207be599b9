/**
 * Brings a person's words to an agent below stored ancestors. Only a live direct parent can deliver to a child, so each
 * ancestor below the top is brought back by a message of its own, and in its turn passes the words on, without a call of its
 * model. Notices of ends it lets rest.
 */
import { type Agent, type AgentComposition, type AgentDriver, randomIds, type SessionId } from '../../src/index.ts';
import type { Host } from '../host.ts';

export interface Relay {
  /** What the top-level agent is to be opened with. */
  readonly composition: AgentComposition;
  /** Resolves with how the activation that answers has ended. */
  send(root: Agent, stop: AbortSignal): Promise<string>;
  release(): void;
}

/** `path` leads from the top-level agent to the one that is meant. */
export function createRelay({ runtime, composition }: Host, path: readonly SessionId[], text: string): Relay {
  const target = path.at(-1);
  const ancestors = path.slice(0, -1);
  const requestId = randomIds().next();
  const answered = Promise.withResolvers<string>();
  answered.promise.catch(() => undefined); // awaited in `send`, which may not be reached
  const subscription = runtime.events$.subscribe((event) => {
    if (event.type === 'subagent/end' && event.id === target) answered.resolve(event.stopReason);
  });

  async function pass(parent: Agent, signal: AbortSignal): Promise<void> {
    const childId = path[path.indexOf(parent.id) + 1];
    if (childId === undefined) return;
    const words = childId === target ? text : `For agent ${target}, passed on by the program: ${text}`;
    const content = [{ type: 'text', text: words } as const];
    await runtime.prompt({ parentId: parent.id, childId, delivery: 'queue', requestId, content }, signal);
  }

  const { driver } = composition;
  const relaying: AgentDriver = {
    ...driver,
    async runTurn(turn) {
      if (!ancestors.includes(turn.agent.id)) return driver.runTurn(turn);
      const isAsked = turn.input.some(({ source }) => source.kind === 'user' && source.requestId === requestId);
      if (isAsked) await pass(turn.agent, turn.signal).catch(answered.reject);
      return { stopReason: 'completed' };
    },
  };
  return {
    composition: { ...composition, driver: relaying },
    async send(root, stop) {
      const onStop = () => answered.reject(stop.reason);
      stop.addEventListener('abort', onStop, { once: true });
      try {
        await pass(root, stop);
        return await answered.promise;
      } finally {
        stop.removeEventListener('abort', onStop);
      }
    },
    release: () => subscription.unsubscribe(),
  };
}
