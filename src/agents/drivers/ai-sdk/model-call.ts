/** One model call, streamed. Failures and aborts are ends of the reply; nothing is thrown. */
import {
  type LanguageModelCallOptions,
  type ModelMessage,
  NoOutputGeneratedError,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from 'ai';
import type { JsonObject } from '../../../sessions/json.ts';
import type { TurnDelta } from '../../driver.ts';
import type { ResolvedModel } from './model.ts';
import { type Reply, ReplyBuilder } from './reply.ts';
import { watchModel } from './watch.ts';

export interface ModelRequest {
  readonly model: ResolvedModel;
  readonly instructions: string | undefined;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet | undefined;
  readonly settings: Pick<LanguageModelCallOptions, 'maxOutputTokens' | 'reasoning'>;
  readonly maxRetries: number;
  readonly providerOptions: Readonly<Record<string, JsonObject>>;
  readonly signal: AbortSignal;
  readonly onDelta: (delta: TurnDelta) => void;
}

type SdkOptions = Parameters<typeof streamText>[0];

export async function callModel(request: ModelRequest): Promise<Reply> {
  const { signal } = request;
  const reply = new ReplyBuilder(request.onDelta);
  const watched = watchModel(request.model);
  let failure: { readonly error: unknown } | undefined;
  try {
    await readAll(startStream(request, watched.model), signal, (part) => reply.add(part));
  } catch (error) {
    failure = { error };
  }
  const { blocks } = reply;
  if (signal.aborted) return { blocks, end: { type: 'aborted' } };
  const hasFinished = watched.hasFinished();
  const isSilence = NoOutputGeneratedError.isInstance(failure?.error) && !hasFinished;
  if (failure !== undefined && !isSilence) return { blocks, end: { type: 'failed', error: failure.error } };
  return { blocks, end: (hasFinished && reply.finished()) || { type: 'broken-off' } };
}

function startStream(request: ModelRequest, model: ResolvedModel): ReadableStream<TextStreamPart<ToolSet>> {
  return streamText({
    model,
    messages: [...request.messages],
    maxRetries: request.maxRetries,
    providerOptions: request.providerOptions as NonNullable<SdkOptions['providerOptions']>,
    abortSignal: request.signal,
    // Errors arrive as parts of the stream; the SDK's own handler would print them, body and all.
    onError: () => undefined,
    ...request.settings,
    ...(request.instructions !== undefined && { instructions: request.instructions }),
    ...(request.tools !== undefined && { tools: request.tools }),
  }).stream;
}

/** Ends at once when the signal fires, even if the provider does not let go of its connection. Throws what an error part holds. */
async function readAll(
  stream: ReadableStream<TextStreamPart<ToolSet>>,
  signal: AbortSignal,
  add: (part: TextStreamPart<ToolSet>) => void,
): Promise<void> {
  const reader = stream.getReader();
  const letGo = () => {
    // Rejects with the error of a stream that has failed already, which was read or is not wanted any more.
    reader.cancel().catch(() => undefined);
  };
  signal.addEventListener('abort', letGo, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      if (value.type === 'error') throw value.error;
      add(value);
    }
  } finally {
    signal.removeEventListener('abort', letGo);
    letGo();
  }
}
