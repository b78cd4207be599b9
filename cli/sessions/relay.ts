/**
 * Brings a person's words to an agent below the top-level one. The runtime brings back the agents between the two, since only
 * a live parent can deliver to a child.
 */
import {
  type AgentComposition,
  type OpenAgent,
  randomIds,
  type SessionId,
  type SubagentRuntime,
  type SubagentStopReason,
} from '../../src/index.ts';

/** They hear of the end of the one below them, and let it rest: that is no call of their model. */
export function restingAncestors(
  { driver, ...composition }: AgentComposition,
  ancestors: readonly SessionId[],
): AgentComposition {
  return {
    ...composition,
    driver: {
      ...driver,
      runTurn: async (turn) => (ancestors.includes(turn.agent.id) ? { stopReason: 'completed' } : driver.runTurn(turn)),
    },
  };
}

export interface Words {
  readonly parentId: SessionId;
  readonly childId: SessionId;
  readonly text: string;
}

/** Resolves with how the activation that answers has ended, once everybody above it has heard of that too. */
export async function sendBelow(
  runtime: SubagentRuntime,
  root: OpenAgent,
  { parentId, childId, text }: Words,
  signal: AbortSignal,
): Promise<SubagentStopReason> {
  let ended: SubagentStopReason = 'aborted';
  const subscription = runtime.events$.subscribe((event) => {
    if (event.type === 'subagent/end' && event.id === childId) ended = event.stopReason;
  });
  try {
    const content = [{ type: 'text', text } as const];
    await runtime.prompt({ parentId, childId, delivery: 'queue', requestId: randomIds().next(), content }, signal);
    await root.whenQuiet({ signal });
    return ended;
  } finally {
    subscription.unsubscribe();
  }
}
