/** The turn as its driver sees it. Everything the driver may do to the session goes through here, and stops when the turn is over. */
import type { Agent } from '../agents/agent.ts';
import type { AgentComposition } from '../agents/composition.ts';
import type { AgentDriver, Turn, TurnDelta, TurnEnd, TurnEntry } from '../agents/driver.ts';
import { countMail } from '../agents/inbox.ts';
import { checkStructured } from '../agents/output-schema.ts';
import { isYes } from '../agents/sync-answer.ts';
import type { AgentTool } from '../agents/tool.ts';
import { checkedDelta, checkedEntry } from '../agents/turn-entry.ts';
import { SubagentError } from '../errors.ts';
import type { AssistantBlock, ContentBlock, ToolResultBlock, TranscriptEntry } from '../sessions/content.ts';
import type { AgentOptions, NewSessionEvent, SessionHeader } from '../sessions/event.ts';
import type { JsonObject, JsonValue } from '../sessions/json.ts';
import type { InboxMessage } from '../sessions/message.ts';
import type { Session } from '../sessions/session.ts';
import { interruptedResult, unansweredCalls } from '../sessions/transcript.ts';
import { forgetBytes } from './mail.ts';
import type { Residency } from './residency.ts';
import type { World } from './world.ts';

/** Characters of streamed text that are kept in case no message is ever recorded. */
const streamedCharactersMax = 1_048_576;

/** One for all turns: making one, with its stack, costs more than the rest of a stop. */
const stopped = new DOMException('the turn was stopped', 'AbortError');

interface AppendOptions {
  readonly calls?: readonly AssistantBlock[];
  readonly undo?: () => void;
}

export class RunningTurn implements Turn {
  readonly turnId: string;
  input: readonly InboxMessage[];
  readonly #world: World;
  readonly #residency: Residency;
  readonly session: Session;
  readonly #composition: AgentComposition;
  #controller: AbortController | undefined;
  #isAborted = false;
  #isOver = false;
  #isGivenUp = false;
  #calls: readonly AssistantBlock[] = [];
  #results: ToolResultBlock[] = [];

  constructor(world: World, residency: Residency, turnId: string, input: readonly InboxMessage[]) {
    const { session, composition } = residency;
    if (session === undefined || composition === undefined) throw new Error('a turn needs a session and a driver');
    this.#world = world;
    this.#residency = residency;
    this.session = session;
    this.#composition = composition;
    this.turnId = turnId;
    this.input = input;
  }

  get driver(): AgentDriver {
    return this.#composition.driver;
  }
  get agent(): Agent {
    return this.#residency.agent;
  }
  get header(): SessionHeader {
    return this.session.header;
  }
  get instructions(): string | undefined {
    return this.#composition.instructions;
  }
  get options(): AgentOptions {
    return this.#residency.options;
  }
  get outputSchema(): JsonObject | undefined {
    return this.#residency.outputSchema;
  }
  get tools(): readonly AgentTool[] {
    const tools = this.#composition.tools ?? [];
    return tools.filter((tool) => this.#isAvailable(tool));
  }
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort(stopped);
    }
    return this.#controller.signal;
  }
  get isAborted(): boolean {
    return this.#isAborted;
  }
  get isOver(): boolean {
    return this.#isOver;
  }
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  history(): Promise<readonly TranscriptEntry[]> {
    return this.session.history();
  }

  async check(): Promise<void> {
    this.#mustBeOpen();
    await this.session.check();
  }

  async takeSteering(): Promise<readonly InboxMessage[]> {
    this.#mustBeOpen();
    const { inbox } = this.#residency;
    const claimed = inbox.claimStep();
    if (claimed.length === 0) return claimed;
    const { queued, parked } = countMail(claimed);
    const messageIds = claimed.map((message) => message.messageId);
    const claim = this.#event('inbox/claimed', { messageIds, waking: queued, turnId: this.turnId });
    await this.#append(claim, { undo: () => inbox.restore(claimed) });
    forgetBytes(this.#residency, claimed);
    this.#residency.send({ type: 'message.claimed', queued, parked });
    return claimed;
  }

  async record(given: TurnEntry): Promise<number> {
    this.#mustBeOpen();
    const entry = checkedEntry(given);
    if (entry.role === 'tool') return this.#recordResults(entry.content);
    const { content, usage, model } = entry;
    const event = this.#event('assistant/message', {
      turnId: this.turnId,
      content,
      ...(usage !== undefined && { usage }),
      ...(model !== undefined && { model }),
    });
    const first = await this.#append(event, { calls: content });
    const text = content.filter((block): block is ContentBlock & { type: 'text' } => block.type === 'text' && block.text !== '');
    if (text.length > 0) {
      this.#residency.lastAssistant = text;
      this.#residency.streamed = '';
    }
    return first;
  }

  stream(given: TurnDelta): void {
    if (this.#isOver) return;
    const delta = checkedDelta(given);
    const room = streamedCharactersMax - this.#residency.streamed.length;
    if (delta.type === 'text' && room > 0) this.#residency.streamed += delta.text.slice(0, room);
    this.#world.progress(this.#residency, delta);
  }

  async submitResult(value: JsonValue): Promise<void> {
    this.#mustBeOpen();
    if (this.outputSchema === undefined) throw new SubagentError('INVALID_ARGUMENT', 'no structured result was asked for');
    const checked = checkStructured(this.outputSchema, value);
    await this.session.append([this.#event('result/submitted', { turnId: this.turnId, value: checked })]);
    this.#residency.structured = { value: checked };
    this.#residency.send({ type: 'inbox.closed' });
  }

  /** Takes what came for the step lane after the opening was claimed and before it was written. */
  claimMore(): void {
    const more = this.#residency.inbox.claimStep();
    if (more.length > 0) this.input = [...this.input, ...more];
  }

  /** The end of the turn, and before it what balances the history, whatever the driver left open. */
  closingEvents({ stopReason, diagnostic }: TurnEnd): NewSessionEvent[] {
    const said = diagnostic !== undefined && stopReason !== 'completed' && { diagnostic };
    return [
      ...this.#resultsEvent(this.#missingResults()),
      this.#event('turn/ended', { turnId: this.turnId, stopReason, ...said }),
    ];
  }

  /** From inside a transition: true at once, and its listeners hear of it behind it. */
  abort(): void {
    this.#isAborted = true;
    this.#world.aborts.request(() => this.#controller?.abort(stopped));
  }

  /** The driver's part is over: whatever it still tries is refused. */
  end(): void {
    this.#isOver = true;
  }

  /** It did not end when it was asked to. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.end();
  }

  #isAvailable(tool: AgentTool): boolean {
    try {
      return tool.isAvailable === undefined || isYes(tool.isAvailable(this.agent));
    } catch (fault) {
      this.#world.report('tool', fault); // a tool that cannot say is not offered, and the turn goes on
      return false;
    }
  }

  #mustBeOpen(): void {
    if (this.#isOver) throw new SubagentError('FENCED', 'the turn is over');
  }

  async #recordResults(content: readonly ToolResultBlock[]): Promise<number> {
    const unanswered = new Set(unansweredCalls(this.#calls, this.#results).map(({ callId }) => callId));
    for (const { callId } of content) {
      if (!unanswered.delete(callId)) throw new SubagentError('INVALID_ARGUMENT', 'a tool result answers no open call');
    }
    this.#results.push(...content);
    try {
      return await this.session.append(this.#resultsEvent(content));
    } catch (error) {
      this.#results = this.#results.filter((result) => !content.includes(result));
      throw error;
    }
  }

  /**
   * Appends `event` behind results for the calls that have none, and resolves with its number. `calls`: what is called from
   * then on. What the store refuses has not happened: `undo` is called in the step in which that is known.
   */
  async #append(event: NewSessionEvent, { calls, undo }: AppendOptions = {}): Promise<number> {
    const [callsBefore, resultsBefore] = [this.#calls, this.#results];
    const missing = this.#missingResults();
    const results = calls === undefined ? [...resultsBefore, ...missing] : [];
    this.#calls = calls ?? callsBefore;
    this.#results = results;
    const closing = this.#resultsEvent(missing);
    try {
      return closing.length + (await this.session.append([...closing, event]));
    } catch (error) {
      this.#calls = callsBefore;
      this.#results = resultsBefore;
      undo?.();
      throw error;
    }
  }

  #missingResults(): readonly ToolResultBlock[] {
    return unansweredCalls(this.#calls, this.#results).map(interruptedResult);
  }

  #resultsEvent(content: readonly ToolResultBlock[]): NewSessionEvent[] {
    return content.length === 0 ? [] : [this.#event('tool/results', { turnId: this.turnId, content })];
  }

  #event<Type extends NewSessionEvent['type']>(
    type: Type,
    data: Extract<NewSessionEvent, { type: Type }>['data'],
  ): NewSessionEvent {
    return { type, time: this.#world.clock.now(), data } as NewSessionEvent;
  }
}
