import { teardownError } from '../actors/release.ts';
import type { ActivationActor, Residency } from '../actors/residency.ts';
import { SubagentError } from '../errors.ts';
import type { SubagentActivation, SubagentResult } from '../providers/contract.ts';
import type { MessageId } from '../sessions/ids.ts';
import type { Registry } from './registry.ts';
import { stopTree } from './stop.ts';

/** The caller's hold on exactly one activation. It keeps no transcript alive after release. */
export class ActivationHandle implements SubagentActivation {
  readonly childId: string;
  declare readonly messageId?: MessageId;
  readonly #registry: Registry;
  readonly #residency: Residency;
  #result: Promise<SubagentResult> | undefined;
  #disposal: Promise<void> | undefined;

  constructor(registry: Registry, residency: Residency, messageId: MessageId | undefined) {
    this.#registry = registry;
    this.#residency = residency;
    this.childId = residency.childId;
    if (messageId !== undefined) this.messageId = messageId;
  }

  get result(): Promise<SubagentResult> {
    if (this.#result === undefined) {
      this.#result = resultOf(this.#residency);
      this.#result.catch(() => undefined); // asking for a result nobody awaits must not end the process
    }
    return this.#result;
  }

  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  async #dispose(): Promise<void> {
    if (!this.#residency.isReleased) return stopTree(this.#registry, this.#residency, 'discard');
    const fault = teardownError(this.#residency);
    if (fault !== undefined) throw fault;
  }
}

async function resultOf(residency: Residency): Promise<SubagentResult> {
  await residency.whenReleased();
  const { reason } = (residency.actor as ActivationActor).getSnapshot().context;
  if (reason === 'fenced') throw residency.lostFault ?? new SubagentError('FENCED', 'the session was taken over');
  if (residency.captureFault !== undefined) throw residency.captureFault;
  if (residency.captured === undefined) throw new SubagentError('PROVIDER_FAILED', 'the activation ended without a result');
  return residency.captured;
}
