/** An agent loop that does what a seed says: speaks, calls, takes steering, waits, hangs, fails. */
import type { Agent } from '../../src/agents/agent.ts';
import type { AgentDriver, Turn, TurnEnd } from '../../src/agents/driver.ts';
import type { Clock } from '../../src/ports/clock.ts';

export interface RandomDriver extends AgentDriver {
  /** The agent that last ran under this id. */
  agentOf(id: string): Agent | undefined;
}

export function randomDriver(random: () => number, clock: Clock): RandomDriver {
  const agents = new Map<string, Agent>();
  let calls = 0;
  const wait = (turn: Turn, ms: number, isDeaf: boolean) =>
    new Promise<void>((resolve) => {
      const cancel = clock.schedule(ms, resolve);
      if (isDeaf) return;
      const stop = () => {
        cancel();
        resolve();
      };
      turn.signal.addEventListener('abort', stop, { once: true });
      if (turn.signal.aborted) stop();
    });

  async function step(turn: Turn): Promise<TurnEnd | undefined> {
    const choice = random();
    if (choice < 0.3) await turn.record({ role: 'assistant', content: [{ type: 'text', text: `said ${++calls}` }] });
    else if (choice < 0.4) {
      const callId = `call-${++calls}`;
      await turn.record({ role: 'assistant', content: [{ type: 'tool-call', callId, toolName: 'look', input: {} }] });
      if (random() < 0.6)
        await turn.record({ role: 'tool', content: [{ type: 'tool-result', callId, toolName: 'look', output: 1 }] });
    } else if (choice < 0.6) await turn.takeSteering();
    else if (choice < 0.75) await wait(turn, random() * 3_000, false);
    else if (choice < 0.8) await wait(turn, random() * 20_000, true);
    else if (choice < 0.85) throw new Error('the loop fell over');
    else if (choice < 0.9) return { stopReason: 'refusal', diagnostic: 'no' };
    else await turn.check();
    return turn.signal.aborted ? { stopReason: 'aborted' } : undefined;
  }

  return {
    name: 'random',
    agentOf: (id) => agents.get(id),
    async runTurn(turn) {
      agents.set(turn.agent.id, turn.agent);
      for (let left = Math.floor(random() * 6); left > 0; left--) {
        const end = await step(turn);
        if (end !== undefined) return end;
      }
      return { stopReason: 'completed' };
    },
    release() {
      if (random() < 0.05) throw new Error('it would not let go');
    },
  };
}
