/**
 * A model that says what a test tells it to, one script per call, over the AI SDK's mock. It is as strict as the strictest
 * provider: an unbalanced prompt, an empty message or a prompt that ends with its own words is a fault that the test sees.
 */
import type {
  JSONObject,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { MockLanguageModelV4 } from 'ai/test';
import { imbalanceOf } from './balance.ts';

export type ModelPart = LanguageModelV4StreamPart;
export type Script = (call: LanguageModelV4CallOptions) => Speech | Promise<Speech>;
export type Speech = readonly ModelPart[] | ReadableStream<ModelPart>;

export interface ScriptedModel extends MockLanguageModelV4 {
  /** What the driver did that a strict provider would refuse. */
  readonly faults: readonly string[];
  readonly prompts: readonly LanguageModelV4Prompt[];
}

/** Speaks the scripts in order; a call beyond the last is a fault. */
export function scriptedModel(...scripts: readonly (Script | Speech)[]): ScriptedModel {
  const faults: string[] = [];
  const prompts: LanguageModelV4Prompt[] = [];
  const model = new MockLanguageModelV4({
    async doStream(call) {
      const script = scripts[prompts.length];
      prompts.push(call.prompt);
      const fault = script === undefined ? 'there is no script for this call' : faultOf(call.prompt);
      if (fault !== undefined) {
        faults.push(`call ${prompts.length}: ${fault}`);
        throw new Error(fault);
      }
      const speech = typeof script === 'function' ? await script(call) : (script ?? []);
      return { stream: speech instanceof ReadableStream ? speech : streamOf(speech) };
    },
  });
  return Object.assign(model, { faults, prompts });
}

function faultOf(prompt: LanguageModelV4Prompt): string | undefined {
  const empty = prompt.findIndex(({ content }) => content.length === 0);
  if (empty >= 0) return `message ${empty} is empty`;
  if (prompt.at(-1)?.role === 'assistant') return 'the prompt ends with an answer';
  return imbalanceOf(
    prompt.map(({ role, content }) => {
      const parts = typeof content === 'string' ? [] : content;
      return {
        role,
        calls: parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])),
        results: parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])),
      };
    }),
  );
}

function streamOf(parts: readonly ModelPart[]): ReadableStream<ModelPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

type Reason = LanguageModelV4FinishReason['unified'];

export function finish(reason: Reason, counts: { input?: number; output?: number } = {}): ModelPart {
  return {
    type: 'finish',
    finishReason: { unified: reason, raw: reason },
    usage: {
      inputTokens: { total: counts.input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: counts.output, text: undefined, reasoning: undefined },
    },
  };
}

/** One delta for each word. */
export function text(words: string, id = 'text'): ModelPart[] {
  const deltas = words.split(/(?<= )/).map((delta): ModelPart => ({ type: 'text-delta', id, delta }));
  return [{ type: 'text-start', id }, ...deltas, { type: 'text-end', id }];
}

export function call(toolCallId: string, toolName: string, input: JSONObject | string = {}): ModelPart {
  return { type: 'tool-call', toolCallId, toolName, input: typeof input === 'string' ? input : JSON.stringify(input) };
}

export function says(words: string, reason: Reason = 'stop'): ModelPart[] {
  return [{ type: 'stream-start', warnings: [] }, ...text(words), finish(reason)];
}

export function asks(...calls: readonly ModelPart[]): ModelPart[] {
  return [{ type: 'stream-start', warnings: [] }, ...calls, finish('tool-calls')];
}

/** A stream that stays open: the test says when something comes, and sees when it was let go. */
export function openSpeech(...parts: readonly ModelPart[]) {
  let controller!: ReadableStreamDefaultController<ModelPart>;
  const state = { isCancelled: false };
  const stream = new ReadableStream<ModelPart>({
    start(given) {
      controller = given;
      for (const part of parts) given.enqueue(part);
    },
    cancel() {
      state.isCancelled = true;
      // Never settles: a provider that does not let go of its connection.
      return new Promise<void>(() => undefined);
    },
  });
  return {
    stream,
    state,
    push: (part: ModelPart) => controller.enqueue(part),
    fail: (error: unknown) => controller.error(error),
  };
}
