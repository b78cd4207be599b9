/**
 * The account of the runs elsewhere: each that began is disposed of before its process has closed, and what it came to is what is
 * told of it, in the event of its end and in the notice to its parent (S2.10, S3.9, S7.8, R5).
 */
import { errorCode } from '../../../src/errors.ts';
import type { SubagentRunEndInfo } from '../../../src/registry/event-hub.ts';
import { findResident } from '../../../src/registry/registry.ts';
import { textOf } from '../../../src/sessions/content.ts';
import type { SubagentStopReason } from '../../../src/sessions/event.ts';
import type { SimulatedProcess } from '../../../src/testing/simulation/process.ts';
import { recordedSessions } from '../../../src/testing/simulation/recorded.ts';
import type { Checker, Simulation } from '../../../src/testing/simulation/simulation.ts';

interface Outcome {
  readonly stopReason: SubagentStopReason;
  readonly text: string;
}

export class Run {
  readonly id: string;
  readonly process: SimulatedProcess;
  isDisposed = false;
  /** What it came to by itself while its activation lived, before anybody asked it to stop. */
  outcome: Outcome | undefined;
  /** What the event of its end said. */
  told: Outcome | undefined;
  hasCompleted = false;
  /** Its process died before its activation was released. */
  isLost = false;

  #isStopped = false;

  constructor(id: string, process: SimulatedProcess) {
    this.id = id;
    this.process = process;
  }

  stop(): void {
    this.#isStopped = true;
  }

  answer(stopReason: SubagentStopReason, text: string): void {
    this.hasCompleted ||= stopReason === 'completed';
    const isLive = findResident(this.process.registry, this.id)?.isOpened === true;
    if (isLive && !this.#isStopped) this.outcome ??= { stopReason, text };
  }
}

export class Runs {
  readonly #simulation: Simulation;
  readonly #runs = new Map<string, Run>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** It has begun, and is for the runtime to dispose of, whatever becomes of the start. */
  begin(id: string, process: SimulatedProcess): Run {
    const run = new Run(id, process);
    this.#runs.set(id, run);
    return run;
  }

  readonly checker: Checker = {
    opened: (process) => {
      process.runtime.events$.subscribe((event) => {
        if (event.type === 'subagent/end' && !event.local && process.isAlive) this.#judgeEnd(event);
      });
    },
    died: (process) => {
      for (const run of this.#runs.values())
        if (run.process === process) run.isLost = findResident(process.registry, run.id) !== undefined;
    },
    closed: (process) => {
      for (const run of this.#runs.values())
        if (run.process === process && !run.isDisposed)
          this.#simulation.say(`process ${process.name} is closed, and ${run.id} still runs (S7.8)`);
    },
    ended: () => this.#judgeNotices(),
  };

  #judgeEnd({ id, stopReason, lastAssistantMessage = [] }: SubagentRunEndInfo): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    const { outcome, hasCompleted } = run;
    const text = textOf(lastAssistantMessage);
    run.told = { stopReason, text };
    if (!hasCompleted && stopReason === 'completed') this.#simulation.say(`${id} ended completed, and did not complete (S5.2)`);
    if (outcome === undefined) return;
    if (outcome.stopReason !== stopReason)
      this.#simulation.say(`${id} ended ${stopReason}, and came to ${outcome.stopReason} (S5.2)`);
    if (text !== outcome.text) this.#simulation.say(`${id} said “${outcome.text}”, and its end says “${text}” (S5.1)`);
  }

  async #judgeNotices(): Promise<void> {
    for (const { events } of await recordedSessions(this.#simulation)) {
      for (const event of events) {
        if (event.type !== 'inbox/inserted' || event.data.source.kind !== 'subagent-settled') continue;
        const run = this.#runs.get(event.data.source.senderSessionId);
        if (run?.told === undefined) continue;
        const { stopReason, text } = run.told;
        const said = textOf(event.data.content);
        const isTrue = event.data.source.summary.endsWith(` ended: ${stopReason}`) && said.includes(text);
        if (!isTrue && !this.#mayBeLost(run))
          this.#simulation.say(`${run.id} ended ${stopReason}, and its notice says: ${said} (S3.9)`);
      }
    }
  }

  /** With its process, or with the session of its parent. That a store has no room for a while is no reason. */
  #mayBeLost({ process, isLost }: Run): boolean {
    if (isLost) return true;
    return process.reported.some(({ where, error }) => {
      const code = errorCode(error);
      return where === 'notice' && code !== 'STORE_FULL' && code !== 'STORE_LOCKED';
    });
  }
}
