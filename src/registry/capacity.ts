/** How many activations may be live at once: below one top-level agent, and in all (S1.13). Counted from admission to release. */
import type { Residency } from '../actors/residency.ts';
import { SubagentError } from '../errors.ts';

export class Capacity {
  readonly #perRoot: number;
  readonly #inAll: number;
  readonly #holders = new Map<Residency, Set<Residency>>();
  readonly #rootLimits = new Map<Residency, number>();
  #total = 0;

  constructor(perRoot: number, inAll: number) {
    this.#perRoot = perRoot;
    this.#inAll = inAll;
  }

  get live(): number {
    return this.#total;
  }

  limitRoot(root: Residency, activationsMax: number): void {
    this.#rootLimits.set(root, activationsMax);
  }

  /** Throws `ACTIVATION_LIMIT_REACHED`; takes nothing then. */
  check(root: Residency): void {
    const holders = this.#holders.get(root);
    const perRoot = this.#rootLimits.get(root) ?? this.#perRoot;
    if ((holders?.size ?? 0) >= perRoot) throw full(`${perRoot} live activations below agent ${root.id}`, holders);
    if (this.#total >= this.#inAll) throw full(`${this.#inAll} live activations in the runtime`, holders);
  }

  take(root: Residency, residency: Residency): void {
    let holders = this.#holders.get(root);
    if (holders === undefined) {
      holders = new Set();
      this.#holders.set(root, holders);
    }
    holders.add(residency);
    this.#total++;
  }

  /** Idempotent. */
  giveBack(root: Residency, residency: Residency): void {
    const holders = this.#holders.get(root);
    if (holders?.delete(residency) !== true) return;
    this.#total--;
    if (holders.size === 0) this.#holders.delete(root);
  }

  forgetRoot(root: Residency): void {
    this.#rootLimits.delete(root);
  }
}

function full(bound: string, holders: ReadonlySet<Residency> | undefined): SubagentError {
  const names = [...(holders ?? [])].slice(0, 10).map((holder) => holder.childId);
  const held = names.length === 0 ? '' : ` They are held by ${names.join(', ')}.`;
  return new SubagentError(
    'ACTIVATION_LIMIT_REACHED',
    `there are ${bound} already.${held} Wait until one has ended, or stop one.`,
  );
}
