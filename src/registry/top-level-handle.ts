import { captureResult } from '../actors/envelope.ts';
import { checkRoom, offerMessage } from '../actors/mail.ts';
import type { Residency } from '../actors/residency.ts';
import type { Agent } from '../agents/agent.ts';
import { checkContent } from '../agents/message-check.ts';
import { SubagentError } from '../errors.ts';
import type { SubagentResult } from '../providers/contract.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { MessageId, SessionId } from '../sessions/ids.ts';
import type { MessageSource } from '../sessions/message.ts';
import { fieldsOf, signalOf } from '../sessions/outside.ts';
import type { Registry } from './registry.ts';
import { mustBeOpen, throwIfAborted } from './registry.ts';
import { checkImages, newMessage } from './send.ts';
import { closeAgent } from './stop.ts';
import { untilQuiet } from './wait.ts';

export interface PromptOptions {
  /** Owns the call until the message is accepted; for `ask`, until the answer. */
  readonly signal?: AbortSignal;
}

/** A top-level agent that runs on a driver, as its host holds it. */
export class OpenAgent implements AsyncDisposable {
  readonly id: SessionId;
  /** The agent's authority: hand it to what acts as this agent. */
  readonly agent: Agent;
  readonly #registry: Registry;
  readonly #residency: Residency;

  /** @internal */
  constructor(registry: Registry, residency: Residency) {
    this.#registry = registry;
    this.#residency = residency;
    this.id = residency.agent.id;
    this.agent = residency.agent;
  }

  /** A person's message; it opens a turn of its own. Resolves once it is committed. */
  async prompt(content: string | readonly ContentBlock[], options: PromptOptions = {}): Promise<MessageId> {
    return this.#offer('turn', { kind: 'user', form: 'prompt' }, content, readSignal(options), true);
  }

  /** Context beside the conversation: the next turn sees it, but it starts none (S2.8). */
  async inject(content: string | readonly ContentBlock[], options: PromptOptions = {}): Promise<MessageId> {
    return this.#offer('step', { kind: 'context', form: 'inject' }, content, readSignal(options), false);
  }

  /**
   * Prompts, and resolves with the agent's last words when it is quiet again: neither it nor anything below it moves by
   * itself. Aborting `signal` ends the wait and changes nothing about the agent. One question at a time.
   */
  async ask(content: string | readonly ContentBlock[], options: PromptOptions = {}): Promise<SubagentResult> {
    const residency = this.#residency;
    const signal = readSignal(options);
    const { lastAssistant, streamed } = residency;
    residency.lastAssistant = undefined;
    residency.streamed = '';
    try {
      await this.#offer('turn', { kind: 'user', form: 'prompt' }, content, signal, true);
    } catch (refusal) {
      residency.lastAssistant ??= lastAssistant; // a question that was not taken takes no answer away
      residency.streamed ||= streamed;
      throw refusal;
    }
    return this.#quiet(signal);
  }

  /** The agent's last words once it is quiet. For one that was reopened with work left. */
  async whenQuiet(options: PromptOptions = {}): Promise<SubagentResult> {
    return this.#quiet(readSignal(options));
  }

  async #quiet(signal: AbortSignal | undefined): Promise<SubagentResult> {
    const residency = this.#residency;
    await untilQuiet(residency, signal);
    if (residency.lostFault !== undefined) throw residency.lostFault;
    return residency.captured ?? captureResult(residency, this.#registry.limits.resultBytes);
  }

  /**
   * Stops the current turn and keeps the agent, its mail and its children; the next prompt resumes it. Returns at once. A
   * driver that does not stop within `turnStopMs` is given up, and the agent ends with everything below it.
   */
  interrupt(): void {
    this.#residency.send({ type: 'interrupt.requested' });
    this.#registry.aborts.fire();
  }

  /** Ends the agent and everything below it, children first. Unclaimed mail stays for the next time. */
  close(): Promise<void> {
    return closeAgent(this.#registry, this.agent);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #offer(
    lane: 'turn' | 'step',
    source: MessageSource,
    content: string | readonly ContentBlock[],
    signal: AbortSignal | undefined,
    wakes: boolean,
  ): Promise<MessageId> {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
    const checked = checkContent(blocks, this.#registry.limits);
    throwIfAborted(signal);
    const residency = this.#residency;
    if (residency.isReleased || !residency.isReceiving) throw this.#closed();
    const message = newMessage(this.#registry, lane, source, checked.content, wakes);
    checkImages(residency, message);
    checkRoom(this.#registry, residency, checked.bytes);
    await offerMessage(this.#registry, residency, message);
    return message.messageId;
  }

  /** This handle takes nothing again, so no code that asks for another try. */
  #closed(): SubagentError {
    const { lostFault } = this.#residency;
    if (lostFault !== undefined) return lostFault;
    mustBeOpen(this.#registry);
    return new SubagentError('PARENT_UNAVAILABLE', `agent ${this.id} is closed or closing; open it again`);
  }
}

function readSignal(options: PromptOptions): AbortSignal | undefined {
  return signalOf(fieldsOf(options, ['signal'], 'the options').signal);
}

/** A top-level agent that its host runs. */
export class AttachedAgent implements AsyncDisposable {
  readonly id: SessionId;
  readonly agent: Agent;
  readonly #registry: Registry;

  /** @internal */
  constructor(registry: Registry, residency: Residency) {
    this.#registry = registry;
    this.id = residency.agent.id;
    this.agent = residency.agent;
  }

  /** Ends everything below the agent, children first, and lets it go. */
  close(): Promise<void> {
    return closeAgent(this.#registry, this.agent);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
