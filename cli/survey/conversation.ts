/** What the prompt of a model call tells: who asked what, which tools there are, and what the calls so far brought. */
import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import { type Heard, hear, type Settled } from './notices.ts';
import { isGoOn, isWaiting } from './waiting.ts';

export type Reply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

export interface PastCall {
  readonly toolName: string;
  readonly input: unknown;
  readonly reply: Reply;
  /** Number of the message in the prompt that holds the result. */
  readonly at: number;
}

export interface Words {
  readonly text: string;
  /** Number of the message in the prompt. */
  readonly at: number;
}

/** Work goes on over turns that end in waiting; it is over with another answer. */
export interface Conversation {
  /** What people and agents said for the current work, oldest first, without the line that says who speaks. */
  readonly asked: readonly Words[];
  /** The same for the work before. */
  readonly askedBefore: readonly Words[];
  /** The last answer that was no waiting. */
  readonly lastAnswer: string | undefined;
  /** The calls of the current work that have a result; those that were interrupted count as never made. */
  readonly calls: readonly PastCall[];
  /** All calls in the prompt: the number of the next one. */
  readonly callCount: number;
  /** What subagents left that reported to the agent and not to a call, oldest first. */
  readonly settled: readonly Settled[];
  /** Labels of subagents that a crash left unfinished and that are to report, by id. */
  readonly open: ReadonlyMap<string, string>;
  /** Numbers of the last messages that say so: -1 if none does. */
  readonly last: Moments;
  /** Property names of each tool's input, by tool. */
  readonly tools: ReadonlyMap<string, readonly string[]>;
}

export interface Moments {
  /** A call was cut off, by whoever interrupted the agent or by a crash. */
  readonly interrupted: number;
  /** The agent came back after a crash. */
  readonly back: number;
  /** It was told to wait for nobody any more. */
  readonly letGo: number;
}

/** What one piece of work has gathered so far. */
interface Work {
  asked: Words[];
  calls: PastCall[];
  settled: Settled[];
  open: Map<string, string>;
  last: { -readonly [Name in keyof Moments]: number };
}

const emptyWork = (): Work => ({
  asked: [],
  calls: [],
  settled: [],
  open: new Map(),
  last: { interrupted: -1, back: -1, letGo: -1 },
});

export function readConversation({ prompt, tools }: Pick<LanguageModelV4CallOptions, 'prompt' | 'tools'>): Conversation {
  const askedBefore: Words[] = [];
  const inputs = new Map<string, unknown>();
  let work = emptyWork();
  let lastAnswer: string | undefined;
  prompt.forEach((message, at) => {
    if (message.role === 'user') takeWords(work, hear(textOf(message)), at);
    else if (message.role === 'tool') takeResults(work, message, inputs, at);
    else if (message.role === 'assistant') {
      const made = message.content.filter((part) => part.type === 'tool-call');
      for (const call of made) inputs.set(call.toolCallId, call.input);
      const text = textOf(message);
      if (made.length > 0 || isWaiting(text)) return;
      lastAnswer = text;
      askedBefore.push(...work.asked);
      work = emptyWork();
    }
  });
  return { ...work, askedBefore, lastAnswer, callCount: inputs.size, tools: readTools(tools) };
}

function takeWords(work: Work, heard: Heard, at: number): void {
  switch (heard.kind) {
    case 'words':
      if (!isGoOn(heard.text)) {
        work.asked.push({ text: heard.text, at });
        break;
      }
      work.open.clear();
      work.last.letGo = at;
      break;
    case 'settled':
      work.settled.push(heard.settled);
      work.open.delete(heard.settled.id);
      break;
    case 'cut':
      for (const [id, label] of heard.open) work.open.set(id, label);
      work.last.back = at;
      break;
    case 'context':
      break;
  }
}

function takeResults(
  work: Work,
  message: Extract<LanguageModelV4Message, { role: 'tool' }>,
  inputs: ReadonlyMap<string, unknown>,
  at: number,
): void {
  for (const part of message.content) {
    if (part.type !== 'tool-result') continue;
    const { toolName, toolCallId, output } = part;
    // all tools that are called again read only; whether a delegation took effect, the notices say
    if (isInterrupted(output)) work.last.interrupted = at;
    else work.calls.push({ toolName, input: inputs.get(toolCallId), reply: toReply(output), at });
  }
}

/** The runtime's own result for a call that was cut off. */
function isInterrupted(output: LanguageModelV4ToolResultOutput): boolean {
  return output.type === 'error-text' && output.value.startsWith('The call was interrupted;');
}

function readTools(tools: LanguageModelV4CallOptions['tools']): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const tool of tools ?? []) {
    if (tool.type === 'function') names.set(tool.name, Object.keys(tool.inputSchema.properties ?? {}));
  }
  return names;
}

function textOf({ content }: Extract<LanguageModelV4Message, { role: 'user' | 'assistant' }>): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function toReply(output: LanguageModelV4ToolResultOutput): Reply {
  switch (output.type) {
    case 'text':
    case 'json':
      return { ok: true, value: output.value };
    case 'error-text':
      return { ok: false, reason: output.value };
    case 'error-json':
      return { ok: false, reason: typeof output.value === 'string' ? output.value : JSON.stringify(output.value) };
    case 'execution-denied':
      return { ok: false, reason: output.reason ?? 'the call was denied' };
    case 'content':
      return { ok: true, value: output.value.map((part) => (part.type === 'text' ? part.text : '')).join('') };
  }
}
