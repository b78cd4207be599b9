/**
 * The smallest agent loop that keeps the contract of a driver, and the ways in which it can break it: a flaw breaks one promise.
 */
import type { AgentDriver, Turn, TurnEnd } from '../../../src/agents/driver.ts';
import { errorCode, SubagentError } from '../../../src/errors.ts';
import type { ToolCallBlock, ToolResultBlock, TranscriptEntry } from '../../../src/sessions/content.ts';
import type { JsonValue } from '../../../src/sessions/json.ts';
import { toUserEntry } from '../../../src/sessions/transcript.ts';
import type { DriverScript, ModelAnswer, ShownMessage } from '../../../src/testing/index.ts';
import { unlessAborted } from '../../support/gate.ts';
import type { Flaw } from './loop-flaws.ts';

const aborted: TurnEnd = { stopReason: 'aborted' };

export function loopDriver(script: DriverScript, flaw?: Flaw): AgentDriver {
  const turns = new Set<AbortController>();
  const shared: ShownMessage[] = [];
  return {
    name: 'loop',
    validate(options) {
      if (flaw === 'calls the model to validate') script.answer([]);
      if (options.model === 'unknown' && flaw !== 'accepts any options')
        throw new SubagentError('UNSUPPORTED_CAPABILITY', 'no such model');
    },
    release() {
      if (flaw === 'ends all turns when one agent is released') for (const turn of turns) turn.abort();
      return flaw === 'never settles its release' ? new Promise(() => undefined) : undefined;
    },
    async runTurn(turn) {
      const controller = new AbortController();
      turns.add(controller);
      turn.signal.addEventListener('abort', () => controller.abort(), { once: true });
      if (turn.signal.aborted && flaw !== 'begins although it was aborted') return aborted;
      const loop = new Loop(turn, script, flaw, controller.signal, flaw === 'mixes up agents' ? shared : []);
      try {
        return await loop.run();
      } catch (error) {
        if (turn.signal.aborted) return aborted;
        if (flaw === 'swallows FENCED' && errorCode(error) === 'FENCED') return { stopReason: 'completed' };
        throw error;
      } finally {
        turns.delete(controller);
      }
    },
  };
}

class Loop {
  readonly #turn: Turn;
  readonly #script: DriverScript;
  readonly #flaw: Flaw | undefined;
  readonly #signal: AbortSignal;
  readonly #shown: ShownMessage[];
  #lastInput: JsonValue = '';

  constructor(turn: Turn, script: DriverScript, flaw: Flaw | undefined, signal: AbortSignal, shown: ShownMessage[]) {
    this.#turn = turn;
    this.#script = script;
    this.#flaw = flaw;
    this.#signal = signal;
    this.#shown = shown;
  }

  async run(): Promise<TurnEnd> {
    const { instructions } = this.#turn;
    if (instructions !== undefined && this.#flaw !== 'shows the model no instructions') this.#show('system', instructions);
    const history = await this.#turn.history();
    this.#showAll(this.#flaw === 'shows the model no history' ? history.slice(-1) : history);
    if (this.#flaw === 'shows the input twice') this.#showAll(this.#turn.input.map(toUserEntry));
    for (;;) {
      const end = await this.#step();
      if (end !== undefined) return end;
    }
  }

  async #step(): Promise<TurnEnd | undefined> {
    const turn = this.#turn;
    if (this.#flaw !== 'asks nobody before it calls the model') await this.#careless(() => turn.check());
    if (this.#signal.aborted && this.#flaw !== 'begins although it was aborted') return this.#cutOff();
    const answer = this.#script.answer(this.#shown);
    switch (answer.kind) {
      case 'say':
        await this.#record(answer.text);
        if (this.#flaw === 'takes no steering at its end' || (await this.#steer()) === 0) return { stopReason: 'completed' };
        return undefined;
      case 'cut':
        await this.#record(answer.text);
        if (this.#flaw === 'calls a broken-off answer completed') return { stopReason: 'completed' };
        return { stopReason: answer.reason, diagnostic: 'the answer broke off' };
      case 'hang':
        return this.#hang(answer.text);
      case 'fail':
        return this.#fail(answer.error);
      case 'submit':
        return this.#submit(answer.value);
      case 'call':
        return this.#call(answer);
    }
  }

  async #hang(text: string): Promise<TurnEnd> {
    if (text !== '') this.#turn.stream({ type: 'text', text });
    if (this.#flaw === 'does not hear the signal during a model call') await new Promise(() => undefined);
    await unlessAborted(new Promise(() => undefined), this.#signal);
    return this.#cutOff();
  }

  #cutOff(): TurnEnd {
    const turn = this.#turn;
    const later = () => new Promise<void>((resolve) => setImmediate(resolve));
    if (this.#flaw === 'records after the end of an aborted turn')
      later()
        .then(() => turn.record({ role: 'assistant', content: [] }))
        .catch(() => undefined);
    if (this.#flaw === 'streams after the end of an aborted turn')
      void later().then(() => turn.stream({ type: 'text', text: 'late' }));
    return this.#flaw === 'calls an aborted turn completed' ? { stopReason: 'completed' } : aborted;
  }

  #fail(error: unknown): TurnEnd {
    if (this.#flaw === 'leaves a rejection that nobody handles') void Promise.reject(new Error('nobody asked'));
    if (this.#flaw === 'throws when the model fails') throw error ?? new Error('failed');
    if (this.#flaw === 'calls a failure of the model completed') return { stopReason: 'completed' };
    if (this.#flaw === 'says nothing of a failure') return { stopReason: 'error' };
    const said = {
      'says everything that it knows of a failure': JSON.stringify(
        error instanceof Error ? { ...error, message: error.message } : error,
      ),
      'says what the tools were given when it fails': JSON.stringify(this.#lastInput),
      'says the prompt when it fails': this.#shown.map(({ text }) => text).join(),
      'has a diagnostic of any length': error instanceof Error ? `failed ${'x'.repeat(error.message.length)}` : 'failed',
    } as Partial<Record<Flaw, string>>;
    return { stopReason: 'error', diagnostic: (this.#flaw && said[this.#flaw]) || 'the model call failed' };
  }

  async #submit(value: JsonValue): Promise<TurnEnd | undefined> {
    if (this.#flaw === 'hands in no result') return { stopReason: 'completed' };
    try {
      await this.#turn.submitResult(value);
      return { stopReason: 'completed' };
    } catch (error) {
      if (errorCode(error) !== 'INVALID_ARGUMENT') throw error;
      this.#show('user', this.#flaw === 'does not tell why a result was refused' ? 'no' : `refused: ${(error as Error).message}`);
      return undefined;
    }
  }

  async #call({ calls }: Extract<ModelAnswer, { kind: 'call' }>): Promise<TurnEnd | undefined> {
    const turn = this.#turn;
    const turnCalls = ++callCount;
    const blocks = calls.map(({ toolName, input }, index): ToolCallBlock => {
      return { type: 'tool-call', callId: `call-${turnCalls}-${index}`, toolName, input };
    });
    this.#lastInput = blocks[0]?.input ?? '';
    const early = this.#flaw === 'runs a tool before its call is recorded' ? this.#results(blocks, 0) : undefined;
    early?.catch(() => undefined);
    const seq = (await this.#careless(() => turn.record({ role: 'assistant', content: blocks }))) ?? 0;
    const results = await (early ?? this.#results(blocks, seq));
    if (this.#flaw === 'ends when a tool throws' && results.some(({ isError }) => isError === true)) {
      await turn.record({ role: 'tool', content: results });
      return { stopReason: 'error', diagnostic: 'a tool failed' };
    }
    await this.#careless(() => turn.record({ role: 'tool', content: results }));
    if (this.#flaw === 'records a result twice') await turn.record({ role: 'tool', content: results.slice(0, 1) });
    if (this.#signal.aborted) return this.#cutOff();
    this.#showAll([{ role: 'tool', content: results }]);
    await this.#careless(() => this.#steer());
    return undefined;
  }

  async #results(blocks: readonly ToolCallBlock[], seq: number): Promise<ToolResultBlock[]> {
    const asked = this.#flaw === 'answers only the first of several calls' ? blocks.slice(0, 1) : blocks;
    const results = await Promise.all(asked.map((block) => this.#result(block, seq)));
    return this.#flaw === 'records no result of a tool that throws' ? results.filter(({ isError }) => isError !== true) : results;
  }

  async #result({ callId, toolName, input }: ToolCallBlock, seq: number): Promise<ToolResultBlock> {
    const { agent, signal, tools } = this.#turn;
    const tool = tools.find(({ name }) => name === toolName);
    const result = { type: 'tool-result', callId, toolName } as const;
    const cutOff = { ...result, output: 'interrupted', isError: true, isInterrupted: true } as const;
    if (this.#signal.aborted && this.#flaw !== 'starts a tool after an abort') return cutOff;
    if (tool === undefined) {
      if (this.#flaw === 'fails on a tool that there is not') throw new Error('no such tool');
      return { ...result, output: 'there is no such tool', isError: true };
    }
    const key = this.#flaw === 'uses one key for all calls' ? agent.id : `${agent.id}:${seq}:${callId}`;
    const work = (async () => tool.execute(input, { agent, signal, callId, idempotencyKey: key }))().then(
      (output): ToolResultBlock => ({ ...result, output }),
      (error: unknown): ToolResultBlock => ({
        ...result,
        output: error instanceof Error ? error.message : String(error),
        isError: true,
      }),
    );
    if (this.#flaw === 'does not hear the signal during a tool call') return work;
    const isCut = await unlessAborted(work, this.#signal);
    return isCut ? cutOff : work;
  }

  async #record(text: string): Promise<void> {
    this.#turn.stream({ type: 'text', text });
    await this.#careless(() => this.#turn.record({ role: 'assistant', content: [{ type: 'text', text }] }));
    this.#show('assistant', text);
  }

  async #steer(): Promise<number> {
    if (this.#flaw === 'takes no steering') return 0;
    const messages = await this.#turn.takeSteering();
    const entries = messages.map(toUserEntry);
    this.#showAll(
      this.#flaw === 'hides who sent a message' ? messages.map(({ content }) => ({ role: 'user', content })) : entries,
    );
    return messages.length;
  }

  /** Goes on whatever the log says, if that is the flaw. */
  async #careless<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    if (this.#flaw !== 'goes on after FENCED') return work();
    return work().catch(() => undefined);
  }

  #show(role: ShownMessage['role'], text: string): void {
    this.#shown.push({ role, text });
  }

  #showAll(entries: readonly TranscriptEntry[]): void {
    for (const { role, content } of entries) {
      const texts = content.map((block) => {
        if (block.type === 'tool-result') return JSON.stringify(block.output);
        return block.type === 'text' ? block.text : '';
      });
      this.#show(role, texts.join(''));
    }
  }
}

let callCount = 0;
