/** What local children run on if the author of a provider does not care: an agent that does what its prompt says. */
import type { AgentDriver, Turn, TurnEnd } from '../../../agents/driver.ts';
import { textOf } from '../../../sessions/content.ts';
import type { ProviderPrompts } from '../provider.ts';

export const ownPrompts = {
  completes: 'complete',
  runs: 'run',
  fails: 'fail',
  submits: 'submit',
} as const satisfies ProviderPrompts;

/** One turn as its model would have seen it. */
export interface SeenTurn {
  readonly agentId: string;
  readonly turn: Turn;
  /** Every text that was shown, in order. */
  readonly shown: readonly string[];
}

export interface PromptedDriver extends AgentDriver {
  readonly seen: readonly SeenTurn[];
}

export function promptedDriver(): PromptedDriver {
  const seen: SeenTurn[] = [];
  return {
    name: 'prompted',
    seen,
    async runTurn(turn) {
      const shown = (await turn.history()).map(({ content }) => textOf(content));
      seen.push({ agentId: turn.agent.id, turn, shown });
      if (turn.signal.aborted) return { stopReason: 'aborted' };
      await turn.check();
      const asked = turn.input.map(({ content }) => textOf(content)).join('\n');
      return act(turn, asked);
    },
  };
}

async function act(turn: Turn, asked: string): Promise<TurnEnd> {
  switch (asked) {
    case ownPrompts.runs:
      turn.stream({ type: 'text', text: 'working' });
      await aborted(turn.signal);
      return { stopReason: 'aborted' };
    case ownPrompts.fails:
      return { stopReason: 'error', diagnostic: 'as the prompt says' };
    case ownPrompts.submits:
      await turn.submitResult({ answer: 42 });
      return { stopReason: 'completed' };
    default:
      await turn.record({ role: 'assistant', content: [{ type: 'text', text: `I have heard: ${asked}` }] });
      return { stopReason: 'completed' };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
