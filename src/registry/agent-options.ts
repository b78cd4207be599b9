import { SubagentError } from '../errors.ts';
import type { AgentOptions } from '../sessions/event.ts';
import { jsonCopy } from '../sessions/json-copy.ts';

/**
 * A copy. Throws `INVALID_ARGUMENT` for what is no plain object, an unknown key or a value of the wrong type: nothing is accepted
 * and then ignored. A key whose value is undefined does not count.
 */
export function checkedAgentOptions(given: unknown): AgentOptions {
  if (given === undefined) return {};
  const options = jsonCopy(given, 'a set of agent options');
  if (typeof options !== 'object' || options === null || Array.isArray(options)) throw invalid('agent options are an object');
  for (const [key, value] of Object.entries(options)) checkOption(key, value);
  return options as AgentOptions;
}

/** `overrides` win key by key. Both were checked. */
export function mergeOptions(base: AgentOptions, overrides: AgentOptions): AgentOptions {
  return { ...base, ...overrides };
}

function checkOption(key: string, value: unknown): void {
  switch (key) {
    case 'provider':
    case 'model':
    case 'reasoningEffort':
      if (typeof value !== 'string' || value === '') throw invalid(`${key} is a non-empty text`);
      return;
    case 'maxTokens':
      if (!Number.isSafeInteger(value) || (value as number) < 1) throw invalid('maxTokens is a positive integer');
      return;
    default:
      throw invalid('there is no such agent option; known are provider, model, reasoningEffort and maxTokens');
  }
}

function invalid(what: string): SubagentError {
  return new SubagentError('INVALID_ARGUMENT', what);
}
