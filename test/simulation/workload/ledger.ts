/**
 * The account of what the outside world asked for, kept beside the system. Each thing that was sent bears a mark that nothing
 * else bears, and has one of three outcomes: done, not done, unknown. Of what is unknown nothing is demanded but that it is not
 * there twice (R1, R2).
 */
import type { Agent } from '../../../src/agents/agent.ts';
import { errorCode } from '../../../src/errors.ts';
import type { SubagentPromptRequest } from '../../../src/registry/prompt.ts';
import type { SimulatedProcess } from '../../../src/testing/simulation/process.ts';

export type Outcome = 'open' | 'done' | 'not done' | 'unknown';

export interface Sent {
  readonly mark: string;
  /** `start`: the prompt of a new child. */
  readonly kind: 'message' | 'person' | 'prompt' | 'context' | 'start';
  readonly from: string;
  readonly process: SimulatedProcess;
  to: string | undefined;
  outcome: Outcome;
  messageId: string | undefined;
  /** Of a start: its signal has fired. */
  isCancelled: boolean;
}

/** An operation that must come to its end within `boundMs`, unless its process dies or stands still. */
export interface Operation {
  readonly name: string;
  readonly process: SimulatedProcess;
  readonly since: number;
  readonly boundMs: number;
  /** More than one call: it may be under way when its process ends. */
  readonly isCompound?: boolean;
}

const unknownCodes: ReadonlySet<string | undefined> = new Set(['OUTCOME_UNKNOWN', 'TIMED_OUT', undefined]);

export class Ledger {
  readonly sent: Sent[] = [];
  readonly open = new Set<Operation>();
  /** What people asked for, with the marks of it. */
  readonly requests: { readonly request: SubagentPromptRequest; readonly sent: Sent }[] = [];
  /** Of every child that ever had a turn, by its header. */
  readonly parents = new Map<string, string>();
  /** Children whose handle was disposed of. */
  readonly disposed = new Set<string>();
  /** Agents below which everything was drained: they start nothing any more (S4.3). */
  readonly cut = new WeakSet<Agent>();
  /** What went wrong while the run went on: errors that no code of the library explains, and ends that came too late. */
  readonly surprises: string[] = [];
  /** Milliseconds of the run. */
  now: () => number = () => 0;
  readonly #counts = new Map<string, number>();

  /** Writes down what is about to be sent. Its text must bear the mark. */
  note(process: SimulatedProcess, kind: Sent['kind'], from: string, to?: string): Sent {
    const count = (this.#counts.get(process.name) ?? 0) + 1;
    this.#counts.set(process.name, count);
    const sent: Sent = {
      ...{ mark: `#${process.name}-${count}#`, kind, from, process, to },
      ...{ outcome: 'open', messageId: undefined, isCancelled: false },
    };
    this.sent.push(sent);
    return sent;
  }

  /** What becomes of it. A process that has died was told nothing. */
  async follow(sent: Sent, sending: Promise<string | undefined>): Promise<string | undefined> {
    try {
      const messageId = await sending;
      if (!sent.process.isAlive) return undefined;
      sent.outcome = 'done';
      sent.messageId = messageId;
      return messageId;
    } catch (error) {
      if (!sent.process.isAlive) return undefined;
      sent.outcome = unknownCodes.has(errorCode(error)) ? 'unknown' : 'not done';
      this.expect(error);
      return undefined;
    }
  }

  /** An operation that takes its time; its refusal is an answer. */
  async operate(operation: Operation, work: () => Promise<unknown>): Promise<boolean> {
    this.open.add(operation);
    try {
      await work();
      return true;
    } catch (error) {
      if (operation.process.isAlive) this.expect(error, operation.name);
      return false;
    } finally {
      this.open.delete(operation);
      const ms = this.now() - operation.since;
      const { isAlive, thawedAt } = operation.process;
      if (isAlive && thawedAt < operation.since && ms > operation.boundMs) this.surprises.push(`${operation.name} took ${ms} ms`);
    }
  }

  /** A start that began behind a drain of its parent has succeeded. */
  notCut(isCut: boolean, agent: Agent): void {
    if (isCut) this.surprises.push(`${agent.id} started a child although everything below it was drained (S4.3)`);
  }

  expect(error: unknown, what = ''): void {
    const errors = error instanceof AggregateError ? error.errors : [error];
    for (const one of errors) if (errorCode(one) === undefined) this.surprises.push(`${what}: ${String(one)}`);
  }
}
