import { SubagentError } from '../errors.ts';
import type { AgentOptions } from '../sessions/event.ts';

const texts = ['provider', 'model', 'reasoningEffort'] as const;

/** Throws `INVALID_ARGUMENT` for an unknown key or a value of the wrong type: nothing is accepted and then ignored. */
export function checkAgentOptions(options: unknown): void {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null) throw invalid('agent options are an object');
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (key === 'maxTokens') {
      if (!Number.isSafeInteger(value) || (value as number) < 1) throw invalid('maxTokens is a positive integer');
    } else if (!texts.includes(key as (typeof texts)[number]))
      throw invalid('there is no such agent option; known are provider, model, reasoningEffort and maxTokens');
    else if (typeof value !== 'string' || value === '') throw invalid(`${key} is a non-empty text`);
  }
}

/** `overrides` win key by key; an undefined one does not count. */
export function mergeOptions(base: AgentOptions, overrides: AgentOptions | undefined): AgentOptions {
  if (overrides === undefined) return base;
  const { provider, model, reasoningEffort, maxTokens } = overrides;
  return {
    ...base,
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}

function invalid(what: string): SubagentError {
  return new SubagentError('INVALID_ARGUMENT', what);
}
