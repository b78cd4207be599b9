/** Providers by name (S7.1). */
import { SubagentError } from '../errors.ts';
import type { SubagentProvider } from '../providers/contract.ts';
import type { AgentOptions } from '../sessions/event.ts';
import type { EventHub } from './event-hub.ts';

export class Providers {
  readonly #byName = new Map<string, SubagentProvider>();
  /** As they were at registration: they are static (S1.14). */
  readonly #routes = new Map<string, AgentOptions>();
  readonly #hub: EventHub;

  constructor(hub: EventHub) {
    this.#hub = hub;
  }

  /** Returns what removes it again. Removal stops new starts and touches nothing that was accepted. */
  register(provider: SubagentProvider): () => void {
    check(provider);
    const { name } = provider;
    if (this.#byName.has(name)) throw new SubagentError('DUPLICATE_PROVIDER', `there is a provider "${name}" already`);
    this.#byName.set(name, provider);
    if (provider.agentRouteDefaults !== undefined) this.#routes.set(name, { ...provider.agentRouteDefaults });
    this.#hub.emit({ type: 'subagent/provider-added', provider: name });
    let isRegistered = true;
    return () => {
      if (!isRegistered) return; // the name may be somebody else's by now, or this provider's for a second time
      isRegistered = false;
      this.#byName.delete(name);
      this.#routes.delete(name);
      this.#hub.emit({ type: 'subagent/provider-removed', provider: name });
    };
  }

  get(name: string): SubagentProvider | undefined {
    return this.#byName.get(name);
  }

  must(name: string): SubagentProvider {
    const provider = this.#byName.get(name);
    if (provider === undefined) throw new SubagentError('UNKNOWN_PROVIDER', `no provider is named "${name}"`);
    return provider;
  }

  /** What the options of its children are merged over, if not the parent's. */
  routeOf(name: string): AgentOptions | undefined {
    return this.#routes.get(name);
  }

  list(): readonly SubagentProvider[] {
    return [...this.#byName.values()];
  }
}

function check(provider: SubagentProvider): void {
  if (typeof provider?.name !== 'string' || provider.name === '')
    throw new SubagentError('INVALID_ARGUMENT', 'a provider has a name');
  const { name, capabilities, agentRouteDefaults } = provider;
  for (const method of ['prepareContinuable', 'start'] as const) {
    if (provider[method] !== undefined && typeof provider[method] !== 'function')
      throw new SubagentError('INVALID_ARGUMENT', `${method} of provider "${name}" is not a function`);
  }
  if (provider.prepareContinuable === undefined && provider.start === undefined) {
    throw new SubagentError('UNSUPPORTED_CAPABILITY', `provider "${name}" can start neither local nor external children`);
  }
  for (const key of ['agentOptions', 'agentPreset', 'outputSchema', 'depthLimit'] as const) {
    if (typeof capabilities?.[key] !== 'boolean') {
      throw new SubagentError('INVALID_ARGUMENT', `provider "${name}" must say whether it has the capability ${key}`);
    }
  }
  if (typeof provider.inheritsParentContext !== 'boolean') {
    throw new SubagentError('INVALID_ARGUMENT', `provider "${name}" must say whether its children see the parent's conversation`);
  }
  if (agentRouteDefaults !== undefined && !capabilities.agentOptions) {
    throw new SubagentError('UNSUPPORTED_CAPABILITY', `provider "${name}" has route defaults but takes no agent options`);
  }
  if (capabilities.agentPreset && provider.inheritsParentContext) {
    throw new SubagentError(
      'UNSUPPORTED_CAPABILITY',
      `provider "${name}" cannot both inherit the parent's context and take a preset`,
    );
  }
}
