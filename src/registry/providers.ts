/** Providers by name (S7.1). */
import { SubagentError } from '../errors.ts';
import type { SubagentProvider } from '../providers/contract.ts';
import type { AgentOptions } from '../sessions/event.ts';
import { quoted } from '../sessions/one-line.ts';
import type { EventHub } from './event-hub.ts';
import { checkProvider } from './provider-check.ts';

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
    const { name, route } = checkProvider(provider);
    if (this.#byName.has(name)) throw new SubagentError('DUPLICATE_PROVIDER', `there is a provider "${name}" already`);
    this.#byName.set(name, provider);
    if (route !== undefined) this.#routes.set(name, route);
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

  must(name: unknown): SubagentProvider {
    const provider = this.#byName.get(name as string);
    if (provider === undefined) throw new SubagentError('UNKNOWN_PROVIDER', `no provider is named ${quoted(name)}`);
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
