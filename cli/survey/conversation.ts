/** What the prompt of a model call tells: who asked what, which tools there are, and what the calls so far brought. */
import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';

export type Reply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

export interface PastCall {
  readonly toolName: string;
  readonly input: unknown;
  readonly reply: Reply;
}

export interface Conversation {
  /** What people and agents said in the current turn, oldest first, without the line that says who speaks. */
  readonly asked: readonly string[];
  /** The same for the turns before. */
  readonly askedBefore: readonly string[];
  /** The calls of the current turn that have a result. */
  readonly calls: readonly PastCall[];
  /** All calls in the prompt: the number of the next one. */
  readonly callCount: number;
  /** Property names of each tool's input, by tool. */
  readonly tools: ReadonlyMap<string, readonly string[]>;
}

/** A turn ends with an assistant message that calls no tool. */
export function readConversation({ prompt, tools }: Pick<LanguageModelV4CallOptions, 'prompt' | 'tools'>): Conversation {
  const askedBefore: string[] = [];
  let asked: string[] = [];
  let calls: PastCall[] = [];
  let callCount = 0;
  const inputs = new Map<string, unknown>();
  for (const message of prompt) {
    if (message.role === 'user') asked.push(...spokenTexts(message));
    else if (message.role === 'assistant') {
      const made = message.content.filter((part) => part.type === 'tool-call');
      for (const call of made) inputs.set(call.toolCallId, call.input);
      callCount += made.length;
      if (made.length > 0) continue;
      askedBefore.push(...asked);
      asked = [];
      calls = [];
    } else if (message.role === 'tool') {
      for (const part of message.content) {
        if (part.type !== 'tool-result') continue;
        calls.push({ toolName: part.toolName, input: inputs.get(part.toolCallId), reply: toReply(part.output) });
      }
    }
  }
  return { asked, askedBefore, calls, callCount, tools: readTools(tools) };
}

function readTools(tools: LanguageModelV4CallOptions['tools']): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const tool of tools ?? []) {
    if (tool.type === 'function') names.set(tool.name, Object.keys(tool.inputSchema.properties ?? {}));
  }
  return names;
}

/** Notices of the runtime and context of the host are no question; a relayed message is what it says below its first line. */
function spokenTexts(message: Extract<LanguageModelV4Message, { role: 'user' }>): string[] {
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  if (/^(?:Notice from the runtime|Context from the host)\b/.test(text)) return [];
  return [text.replace(/^Agent \S+ sent a message:\n/, '')];
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
