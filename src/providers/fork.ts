/** Starts a local child that has seen the parent's completed turns; the open turn, with the call that forks, is left out (S7.3). */
import type { SubagentProvider } from './contract.ts';

export interface ForkOptions {
  /** Default: `fork`. */
  readonly name?: string;
}

export function forkProvider({ name = 'fork' }: ForkOptions = {}): SubagentProvider {
  return {
    name,
    capabilities: { agentOptions: true, agentPreset: false, outputSchema: true, depthLimit: true },
    inheritsParentContext: true,
    async prepareContinuable({ parentHistory }) {
      return { seed: await parentHistory() };
    },
  };
}
