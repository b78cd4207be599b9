/**
 * The embedded model: implements the AI SDK's language-model interface with rules, so that the program works without a
 * network or a key. Deterministic; it sees its prompt and nothing else. Tokens are counted as characters divided by 4,
 * rounded up: an estimate for the display, since there is no tokenizer.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { readConversation } from './conversation.ts';
import { decide } from './decide.ts';

export const embeddedModelName = 'troupe/rules';

const charactersPerToken = 4;
const deltaCharacters = 400;

export function surveyModel(): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'troupe',
    modelId: 'rules',
    supportedUrls: {},
    doGenerate: async (options) => generate(options),
    doStream: async (options) => ({ stream: ReadableStream.from(streamParts(generate(options))) }),
  };
}

function generate(options: LanguageModelV4CallOptions): LanguageModelV4GenerateResult {
  options.abortSignal?.throwIfAborted();
  const conversation = readConversation(options);
  const { text, calls, isFailure } = decide(conversation);
  const content: LanguageModelV4Content[] = [{ type: 'text', text }];
  calls.forEach(({ toolName, input }, index) => {
    const toolCallId = `call-${conversation.callCount + index + 1}`;
    content.push({ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) });
  });
  const reason = isFailure ? 'error' : calls.length > 0 ? 'tool-calls' : 'stop';
  const isJson = options.responseFormat?.type === 'json';
  return {
    content,
    finishReason: { unified: reason, raw: reason },
    usage: usageOf(options, content),
    warnings: isJson ? [{ type: 'unsupported', feature: 'responseFormat', details: 'the embedded model answers in text' }] : [],
  };
}

function* streamParts({
  content,
  usage,
  finishReason,
  warnings,
}: LanguageModelV4GenerateResult): Generator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings };
  for (const [index, part] of content.entries()) {
    if (part.type === 'text') yield* textParts(`text-${index}`, part.text);
    if (part.type === 'tool-call') {
      yield { type: 'tool-input-start', id: part.toolCallId, toolName: part.toolName };
      yield { type: 'tool-input-delta', id: part.toolCallId, delta: part.input };
      yield { type: 'tool-input-end', id: part.toolCallId };
      yield part;
    }
  }
  yield { type: 'finish', usage, finishReason };
}

function* textParts(id: string, text: string): Generator<LanguageModelV4StreamPart> {
  yield { type: 'text-start', id };
  for (let at = 0; at < text.length; at += deltaCharacters) {
    yield { type: 'text-delta', id, delta: text.slice(at, at + deltaCharacters) };
  }
  yield { type: 'text-end', id };
}

function usageOf({ prompt }: LanguageModelV4CallOptions, content: readonly LanguageModelV4Content[]): LanguageModelV4Usage {
  const input = tokensIn(JSON.stringify(prompt));
  const output = tokensIn(
    content.map((part) => (part.type === 'text' ? part.text : part.type === 'tool-call' ? part.input : '')).join(''),
  );
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
}

function tokensIn(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}
