/** What many runs add up to. */
import { type FaultKind, faultKinds } from '../../../src/testing/simulation/faults.ts';
import type { RunReport } from '../../../src/testing/simulation/run.ts';
import { addStruck } from '../../../src/testing/simulation/simulate.ts';

const count = new Intl.NumberFormat('en');

export class Figures {
  readonly #since = performance.now();
  readonly #digests = new Map<number, string>();
  readonly #struck: Partial<Record<FaultKind, number>> = {};
  /** Seeds that did not run twice the same way. */
  readonly unequal: number[] = [];
  #runs = 0;
  #twice = 0;
  #steps = 0;
  #ms = 0;
  #violations = 0;

  add({ seed, steps, ms, digest, struck, violations }: RunReport): void {
    this.#runs++;
    this.#steps += steps;
    this.#ms += ms;
    this.#violations += violations.length > 0 ? 1 : 0;
    addStruck(this.#struck, struck);
    const before = this.#digests.get(seed);
    this.#digests.set(seed, digest);
    if (before === undefined) return;
    this.#twice++;
    if (before !== digest) this.unequal.push(seed);
  }

  data() {
    const seconds = (performance.now() - this.#since) / 1_000;
    return {
      seeds: this.#digests.size,
      runs: this.#runs,
      steps: this.#steps,
      seconds: Math.round(seconds * 10) / 10,
      stepsPerSecond: Math.round(this.#steps / seconds),
      simulatedHours: Math.round(this.#ms / 360_000) / 10,
      faultKinds: Object.keys(this.#struck).length,
      struck: this.#struck,
      equalDigests: { of: this.#twice, equal: this.#twice - this.unequal.length },
      violations: this.#violations,
    };
  }

  text(): string {
    const { seeds, runs, steps, seconds, stepsPerSecond, simulatedHours, equalDigests, violations } = this.data();
    const struck = faultKinds.map((kind) => `${kind} ${count.format(this.#struck[kind] ?? 0)}`);
    return [
      `${count.format(seeds)} seeds in ${count.format(runs)} runs: ${count.format(steps)} steps in ${seconds} s, ${count.format(stepsPerSecond)} steps a second`,
      `${simulatedHours} hours of simulated time`,
      `faults: ${struck.join(', ')}`,
      `digests: ${equalDigests.equal} of ${equalDigests.of} seeds ran twice the same way`,
      `seeds with a violation: ${violations}`,
    ].join('\n');
  }
}
