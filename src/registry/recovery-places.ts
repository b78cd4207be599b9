/** Where recovery puts what it resumes: under an open parent, in a place of its own, and held there until all are in. */
import type { ActivationActor, Residency } from '../actors/residency.ts';
import { errorCode } from '../errors.ts';
import type { SessionHeader } from '../sessions/event.ts';
import { descendantsOf } from './descendants-of.ts';
import type { Registry } from './registry.ts';
import { admitResume, type StoredChild, storedChildOf } from './resume.ts';

export class RecoveryPlaces {
  readonly #registry: Registry;
  /** Each is counted as offered a message, so that it cannot settle. */
  readonly #held = new Set<Residency>();
  readonly #atTheBound: 'wait' | 'refuse';

  /** At the bound of live activations it waits for a place, or rejects `ACTIVATION_LIMIT_REACHED`. */
  constructor(registry: Registry, atTheBound: 'wait' | 'refuse' = 'wait') {
    this.#registry = registry;
    this.#atTheBound = atTheBound;
  }

  /** Those that have nothing left to wait for may settle. */
  letGo(): void {
    for (const residency of this.#held) this.#release(residency);
  }

  /** The parent of this session, opened and held, its own ancestors before it. Undefined if no ancestor is live. */
  async openParent({ parentSession }: SessionHeader): Promise<Residency | undefined> {
    const { residents, store } = this.#registry;
    if (parentSession === undefined) return undefined;
    while (true) {
      const live = residents.get(parentSession);
      if (live !== undefined) {
        if (await this.#isUsable(live)) return live;
        continue;
      }
      const head = await store.head(parentSession);
      if (head === undefined) return undefined;
      const above = await this.openParent(head.header);
      if (above === undefined) return undefined;
      const stored = await storedChildOf(this.#registry, parentSession);
      if (residents.has(parentSession)) continue;
      const parent = await this.admit(above, stored);
      await parent?.whenOpened();
    }
  }

  /** Admits a stored agent and holds it. Resolves with nothing after a wait: then everything is to be looked at again. */
  async admit(parent: Residency, stored: StoredChild): Promise<Residency | undefined> {
    try {
      const residency = admitResume(this.#registry, parent, stored, 'child');
      this.#held.add(residency);
      return residency;
    } catch (error) {
      if (isLeaving(parent)) await this.#untilReleased(parent);
      else if (this.#atTheBound === 'refuse') throw error;
      else if (errorCode(error) !== 'ACTIVATION_LIMIT_REACHED' || !(await this.#waitForPlace(parent))) throw error;
      return undefined;
    }
  }

  /** Opened, not on its way out, and held from now on. Waits for what it is doing otherwise. */
  async #isUsable(residency: Residency): Promise<boolean> {
    if (isLeaving(residency)) {
      await this.#untilReleased(residency);
      return false;
    }
    if (!residency.isOpened) {
      await residency.whenOpened().catch(() => undefined); // whoever opens it is told
      return false;
    }
    if (residency.kind === 'local' && !this.#held.has(residency)) this.#hold(residency);
    return true;
  }

  /** It cannot leave while it, or anything below it, is held. */
  async #untilReleased(residency: Residency): Promise<void> {
    for (const below of descendantsOf([residency])) if (this.#held.has(below)) this.#release(below);
    await residency.whenReleased();
  }

  /** False if none has ended within `drainMs`: what waits then waits in the store for the next recovery. */
  async #oneReleased(others: readonly Residency[]): Promise<boolean> {
    const { clock, limits } = this.#registry;
    const expiry = Promise.withResolvers<boolean>();
    const cancel = clock.schedule(limits.drainMs, () => expiry.resolve(false));
    try {
      return await Promise.race([expiry.promise, ...others.map((residency) => residency.whenReleased().then(() => true))]);
    } finally {
      cancel();
    }
  }

  #hold(residency: Residency): void {
    const before = offeredTo(residency);
    residency.send({ type: 'message.offered' });
    if (offeredTo(residency) > before) this.#held.add(residency);
  }

  #release(residency: Residency): void {
    this.#held.delete(residency);
    residency.send({ type: 'message.refused' });
  }

  /** Lets everybody go who is not above the one that waits. False if there is nobody whose end would make room. */
  async #waitForPlace(parent: Residency): Promise<boolean> {
    const above = new Set<Residency>();
    for (let one: Residency | undefined = parent; one !== undefined; one = one.parent) above.add(one);
    for (const residency of this.#held) if (!above.has(residency)) this.#release(residency);
    const others = descendantsOf(parent.root.children).filter((residency) => !above.has(residency));
    if (others.length === 0) return false;
    return this.#oneReleased(others);
  }
}

function isLeaving(residency: Residency): boolean {
  return residency.isReleased || residency.hasTag('ending');
}

function offeredTo(residency: Residency): number {
  return (residency.actor as ActivationActor).getSnapshot().context.offered;
}
