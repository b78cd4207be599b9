/** Starts a fresh local child that knows nothing but its prompt (S7.2). */
import type { SubagentProvider } from './contract.ts';

export interface SpawnOptions {
  /** Default: `spawn`. */
  readonly name?: string;
}

export function spawnProvider({ name = 'spawn' }: SpawnOptions = {}): SubagentProvider {
  return {
    name,
    capabilities: { agentOptions: true, agentPreset: true, outputSchema: true, depthLimit: true },
    inheritsParentContext: false,
    prepareContinuable: () => ({}),
  };
}
