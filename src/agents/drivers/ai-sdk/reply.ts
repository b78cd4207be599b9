/** What one model call said, put together from the parts of its stream. */
import type { FinishReason, LanguageModelUsage, ProviderMetadata, TextStreamPart, ToolSet } from 'ai';
import type { SubagentError } from '../../../errors.ts';
import type { AssistantBlock, TextBlock, ToolCallBlock } from '../../../sessions/content.ts';
import type { JsonObject, JsonValue } from '../../../sessions/json.ts';
import { jsonCopy } from '../../../sessions/json-copy.ts';
import type { Usage } from '../../../sessions/usage.ts';
import type { TurnDelta } from '../../driver.ts';
import { isDeeperThan, levelsMax } from './json-depth.ts';

export interface ModelCall {
  readonly block: ToolCallBlock;
  /** Why the input cannot be handed to a tool, for the model to read. */
  readonly inputProblem?: string;
}

export interface FinishedReply {
  readonly type: 'finished';
  readonly finishReason: FinishReason;
  readonly content: readonly AssistantBlock[];
  readonly calls: readonly ModelCall[];
  readonly usage: Usage | undefined;
  readonly modelId: string;
}

export interface Reply {
  readonly blocks: readonly AssistantBlock[];
  readonly end: FinishedReply | { type: 'aborted' } | { type: 'failed'; error: unknown } | { type: 'broken-off' };
}

type Part = TextStreamPart<ToolSet>;
interface Draft {
  readonly type: 'text' | 'reasoning';
  text: string;
  vendor?: JsonObject;
}

/** Text that was said without an end. Vendor data of an unfinished block is left out: providers refuse it. */
export function partialText(blocks: readonly AssistantBlock[]): TextBlock[] {
  return blocks.flatMap((block) => (block.type === 'text' && block.text !== '' ? [{ type: 'text', text: block.text }] : []));
}

export class ReplyBuilder {
  readonly #onDelta: (delta: TurnDelta) => void;
  readonly #blocks: (Draft | ToolCallBlock)[] = [];
  readonly #drafts = new Map<string, Draft>();
  readonly #calls = new Map<string, ModelCall>();
  readonly #announced = new Set<string>();
  #finish: Extract<Part, { type: 'finish-step' }> | undefined;

  constructor(onDelta: (delta: TurnDelta) => void) {
    this.#onDelta = onDelta;
  }

  /** In the order in which they began, without those that say nothing to anybody. */
  get blocks(): readonly AssistantBlock[] {
    return this.#blocks.filter((block) => block.type === 'tool-call' || block.text !== '' || block.vendor !== undefined);
  }

  /** Sources, files and tools that the provider runs itself have no place in the history and are passed over. */
  add(part: Part): void {
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        this.#addText('text', part);
        break;
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#addText('reasoning', part);
        break;
      case 'tool-input-start':
        if (part.providerExecuted !== true) this.#announce(part.id, part.toolName);
        break;
      case 'tool-call':
        if (part.providerExecuted !== true) this.#addCall(part);
        break;
      case 'finish-step':
        this.#finish = part;
        break;
      default:
    }
  }

  /** Undefined if no end was seen. */
  finished(): FinishedReply | undefined {
    if (this.#finish === undefined) return undefined;
    const { finishReason, usage, response } = this.#finish;
    const calls = [...this.#calls.values()];
    return { type: 'finished', finishReason, content: this.blocks, calls, usage: toUsage(usage), modelId: response.modelId };
  }

  #addText(type: Draft['type'], part: { id: string; text?: string; providerMetadata?: ProviderMetadata | undefined }): void {
    const key = `${type} ${part.id}`;
    let draft = this.#drafts.get(key);
    if (draft === undefined) {
      draft = { type, text: '' };
      this.#drafts.set(key, draft);
      this.#blocks.push(draft);
    }
    // As the SDK has it: the last metadata of a block replaces earlier ones.
    if (part.providerMetadata !== undefined) Object.assign(draft, vendorOf(part.providerMetadata));
    if (part.text === undefined || part.text === '') return;
    draft.text += part.text;
    this.#onDelta({ type, text: part.text });
  }

  #addCall(part: Extract<Part, { type: 'tool-call' }>): void {
    const callId = this.#freeId(part.toolCallId);
    const { input, problem } = checkedInput(part.input);
    const block: ToolCallBlock = {
      type: 'tool-call',
      callId,
      toolName: part.toolName,
      input,
      ...vendorOf(part.providerMetadata),
    };
    const inputProblem = problem ?? (part.invalid === true ? 'the input is not valid JSON' : undefined);
    this.#blocks.push(block);
    this.#calls.set(callId, { block, ...(inputProblem !== undefined && { inputProblem }) });
    this.#announce(callId, part.toolName);
  }

  /** Two calls of one answer under one id would share a result (P18), so the second gets another id; and one without gets one. */
  #freeId(given: string): string {
    const callId = typeof given === 'string' && given !== '' ? given : 'call';
    let free = callId;
    for (let copy = 2; this.#calls.has(free); copy += 1) free = `${callId}_${copy}`;
    return free;
  }

  #announce(callId: string, toolName: string): void {
    if (this.#announced.has(callId)) return;
    this.#announced.add(callId);
    this.#onDelta({ type: 'tool-call', callId, toolName });
  }
}

/** JSON that parses need not be JSON that can be kept: `1e400` is read as infinite, and no stack is as deep as a text can be. */
function checkedInput(input: unknown): { readonly input: JsonValue; readonly problem?: string } {
  if (input === undefined) return { input: {} };
  if (isDeeperThan(input, levelsMax)) return { input: {}, problem: `the input is nested more than ${levelsMax} levels deep` };
  try {
    return { input: jsonCopy(input, 'the input') };
  } catch (error) {
    return { input: {}, problem: (error as SubagentError).message }; // jsonCopy throws no other
  }
}

/** As JSON has it, whatever the vendor's package hung on the block; without it where JSON cannot hold it. */
function vendorOf(metadata: ProviderMetadata | undefined): { readonly vendor?: JsonObject } {
  if (metadata === undefined) return {};
  try {
    const vendor = JSON.parse(JSON.stringify(metadata)) as JsonObject;
    return isDeeperThan(vendor, levelsMax) ? {} : { vendor };
  } catch {
    return {}; // the call or text is worth more than what cannot be kept beside it
  }
}

function toUsage(usage: LanguageModelUsage): Usage | undefined {
  const counts = {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cachedInputTokens: usage.inputTokenDetails.cacheReadTokens,
    reasoningTokens: usage.outputTokenDetails.reasoningTokens,
  };
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
