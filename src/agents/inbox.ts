/**
 * The only queue of an agent: what was accepted and not yet claimed, in memory. The log holds the same; the machine holds the counts.
 *
 * I1  Two lanes. `turn`: one message opens one turn. `step`: all that wait are claimed together at a step boundary.
 * I2  What one sender sent is claimed in the order in which it was accepted.
 */
import type { ContentBlock } from '../sessions/content.ts';
import type { MessageId } from '../sessions/ids.ts';
import type { InboxMessage } from '../sessions/message.ts';

/** How a set of messages counts in the machine. A notice that does not wake counts in neither: it keeps nobody resident. */
export interface MailCount {
  readonly queued: number;
  readonly parked: number;
}

/** A message with its place. */
export interface InboxEntry {
  readonly order: number;
  readonly message: InboxMessage;
}

export class Inbox {
  #turnLane: InboxEntry[] = [];
  #stepLane: InboxEntry[] = [];
  #accepted = 0;

  accept(message: InboxMessage): void {
    const entry = { order: this.#accepted++, message };
    (message.lane === 'turn' ? this.#turnLane : this.#stepLane).push(entry);
  }

  /**
   * What opens the next turn: the whole step lane, and with it the oldest of the turn lane unless a message of the step lane
   * that wakes is older. What does not wake opens no turn of its own; it comes along, in its place.
   */
  claimOpening(): readonly InboxMessage[] {
    const head = this.#turnLane[0];
    const firstWaking = this.#stepLane.find(({ message }) => message.wakes);
    if (head === undefined || (firstWaking !== undefined && firstWaking.order < head.order)) return this.claimStep();
    this.#turnLane.shift();
    const older = this.#stepLane.findIndex(({ order }) => order > head.order);
    const step = this.claimStep();
    return older === -1 ? [...step, head.message] : [...step.slice(0, older), head.message, ...step.slice(older)];
  }

  claimStep(): readonly InboxMessage[] {
    if (this.#stepLane.length === 0) return nothing;
    const claimed = this.#stepLane;
    this.#stepLane = [];
    return claimed.map((entry) => entry.message);
  }

  /** Undoes a claim that could not be written: the messages come first again, in their old order. */
  restore(messages: readonly InboxMessage[]): void {
    const entries = messages.map((message, index) => ({ order: index - messages.length, message }));
    this.#turnLane.unshift(...entries.filter(({ message }) => message.lane === 'turn'));
    this.#stepLane.unshift(...entries.filter(({ message }) => message.lane === 'step'));
  }

  find(id: MessageId): InboxMessage | undefined {
    return this.waiting().find((message) => message.messageId === id);
  }

  /** Takes one message out; `putBack` undoes it. */
  withdraw(id: MessageId): InboxEntry | undefined {
    const entry = [...this.#turnLane, ...this.#stepLane].find(({ message }) => message.messageId === id);
    if (entry !== undefined) this.remove(id);
    return entry;
  }

  /** In its old place, whatever was accepted, claimed or restored meanwhile. */
  putBack(entry: InboxEntry): void {
    const lane = entry.message.lane === 'turn' ? this.#turnLane : this.#stepLane;
    lane.push(entry);
    lane.sort((one, other) => one.order - other.order);
  }

  remove(id: MessageId): void {
    this.#turnLane = this.#turnLane.filter(({ message }) => message.messageId !== id);
    this.#stepLane = this.#stepLane.filter(({ message }) => message.messageId !== id);
  }

  /** Replaces the content in place. */
  edit(id: MessageId, content: readonly ContentBlock[]): void {
    const change = (entry: InboxEntry) =>
      entry.message.messageId === id ? { ...entry, message: { ...entry.message, content } } : entry;
    this.#turnLane = this.#turnLane.map(change);
    this.#stepLane = this.#stepLane.map(change);
  }

  /** Moves a message from the turn lane to the end of the step lane. Returns what undoes it, unless the message was claimed meanwhile. */
  promote(id: MessageId): (() => void) | undefined {
    if (this.find(id)?.lane !== 'turn') return undefined;
    const before = this.withdraw(id);
    if (before === undefined) return undefined;
    this.accept({ ...before.message, lane: 'step' });
    return () => {
      if (this.withdraw(id) !== undefined) this.putBack(before);
    };
  }

  /** Everything that waits, in order of acceptance. */
  waiting(): readonly InboxMessage[] {
    if (this.#turnLane.length + this.#stepLane.length === 0) return nothing;
    return [...this.#turnLane, ...this.#stepLane].sort((one, other) => one.order - other.order).map((entry) => entry.message);
  }
}

const nothing: readonly InboxMessage[] = [];

export function countMail(messages: readonly InboxMessage[]): MailCount {
  let queued = 0;
  let parked = 0;
  for (const message of messages) {
    if (message.wakes) queued++;
    else if (message.source.kind === 'context') parked++;
  }
  return { queued, parked };
}
