/** What a provider says of itself, read once when it is registered. */
import { SubagentError } from '../errors.ts';
import type { AgentOptions } from '../sessions/event.ts';
import { oneLine } from '../sessions/one-line.ts';
import { fieldsOf } from '../sessions/outside.ts';
import { checkedAgentOptions } from './agent-options.ts';

export interface CheckedProvider {
  readonly name: string;
  readonly route: AgentOptions | undefined;
}

const nameCharactersMax = 128;
const fields = ['name', 'capabilities', 'inheritsParentContext', 'agentRouteDefaults', 'prepareContinuable', 'start'] as const;
const flags = ['agentOptions', 'agentPreset', 'outputSchema', 'depthLimit'] as const;

/** Throws `INVALID_ARGUMENT` and `UNSUPPORTED_CAPABILITY`. */
export function checkProvider(given: unknown): CheckedProvider {
  const provider = fieldsOf(given, fields, 'a provider');
  const { agentRouteDefaults: route } = provider;
  const name = checkedName(provider.name);
  checkMethods(name, provider);
  const { agentOptions, agentPreset } = checkFlags(name, provider.capabilities);
  if (typeof provider.inheritsParentContext !== 'boolean')
    throw invalid(`provider "${name}" must say whether its children see the parent's conversation`);
  if (route !== undefined && agentOptions !== true)
    throw unsupported(`provider "${name}" has route defaults but takes no agent options`);
  if (agentPreset === true && provider.inheritsParentContext)
    throw unsupported(`provider "${name}" cannot both inherit the parent's context and take a preset`);
  return { name, route: route === undefined ? undefined : checkedAgentOptions(route) };
}

/** It stands in errors, events and logs. */
function checkedName(name: unknown): string {
  if (typeof name === 'string' && name !== '' && name.length <= nameCharactersMax && name === oneLine(name)) return name;
  throw invalid(`a provider has a name of 1 to ${nameCharactersMax} printable characters`);
}

function checkMethods(name: string, provider: { readonly start?: unknown; readonly prepareContinuable?: unknown }): void {
  for (const method of ['prepareContinuable', 'start'] as const) {
    if (provider[method] !== undefined && typeof provider[method] !== 'function')
      throw invalid(`${method} of provider "${name}" is not a function`);
  }
  if (provider.prepareContinuable === undefined && provider.start === undefined)
    throw unsupported(`provider "${name}" can start neither local nor external children`);
}

function checkFlags(name: string, capabilities: unknown): { readonly [Flag in (typeof flags)[number]]?: unknown } {
  const given = fieldsOf(capabilities, flags, `what provider "${name}" is capable of`);
  const missing = flags.find((flag) => typeof given[flag] !== 'boolean');
  if (missing !== undefined) throw invalid(`provider "${name}" must say whether it has the capability ${missing}`);
  return given;
}

function invalid(what: string): SubagentError {
  return new SubagentError('INVALID_ARGUMENT', what);
}

function unsupported(what: string): SubagentError {
  return new SubagentError('UNSUPPORTED_CAPABILITY', what);
}
