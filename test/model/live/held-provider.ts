/** A provider of external children that starts, ends and lets go only when it is told. */
import type { SubagentProvider, SubagentResult } from '../../../src/providers/contract.ts';
import { type Hand, hand } from './hand.ts';

export interface HeldProvider extends SubagentProvider {
  readonly starting: Hand<void>;
  readonly ending: Hand<SubagentResult>;
  readonly disposing: Hand<void>;
}

export function heldProvider(name: string): HeldProvider {
  let runs = 0;
  const provider = {
    name,
    capabilities: { agentOptions: false, agentPreset: false, outputSchema: false, depthLimit: false },
    inheritsParentContext: false,
    starting: hand<void>(),
    ending: hand<SubagentResult>(),
    disposing: hand<void>(),
    async start() {
      await provider.starting.ask();
      return { id: `${name}-${++runs}`, result: provider.ending.ask(), dispose: () => provider.disposing.ask() };
    },
  };
  return provider;
}

export const completed: SubagentResult = { output: [], stopReason: 'completed' };
