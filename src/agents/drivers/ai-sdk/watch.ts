/** A model with small things added that the SDK's call has no setting for. */
import { isTextDeeperThan, levelsMax } from './json-depth.ts';
import type { ResolvedModel } from './model.ts';

export interface WatchedModel {
  readonly model: ResolvedModel;
  /** Whether the provider itself ended the stream; the SDK reports one that just closed as finished for 'other' reasons. */
  hasFinished(): boolean;
}

/** The model specifications 2 to 4 differ in parts that are only passed on here. */
interface StreamPart {
  readonly type: string;
}
interface ToolCallPart extends StreamPart {
  readonly input: string;
}
interface StreamResult {
  readonly stream: ReadableStream<StreamPart>;
}

/**
 * The SDK prints a model's warnings unless the global `AI_SDK_LOG_WARNINGS` says otherwise, and has no setting per call. A
 * library sets no globals: where the host has not set it either, the warnings are taken out of the stream.
 */
export function watchModel(model: ResolvedModel): WatchedModel {
  let hasFinished = false;
  const doStream = async (options: unknown): Promise<StreamResult> => {
    const isQuiet = globalThis.AI_SDK_LOG_WARNINGS === undefined;
    const result = await callDoStream(model, options);
    const watch = new TransformStream<StreamPart, StreamPart>({
      transform(part, controller) {
        if (part.type === 'finish') hasFinished = true;
        controller.enqueue(isQuiet && part.type === 'stream-start' ? ({ ...part, warnings: [] } as StreamPart) : readable(part));
      },
    });
    return { ...result, stream: result.stream.pipeThrough(watch) };
  };
  const watched = {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    // A getter, since it may be a promise that rejects, which must not happen before somebody waits for it.
    get supportedUrls() {
      return model.supportedUrls;
    },
    doGenerate: model.doGenerate.bind(model),
    doStream,
  };
  return { model: watched as unknown as ResolvedModel, hasFinished: () => hasFinished };
}

const tooDeep = `${'['.repeat(levelsMax + 1)}${']'.repeat(levelsMax + 1)}`;

/** The SDK's parser overflows the stack for input that is nested some thousand levels deep; less than that is refused just as well. */
function readable(part: StreamPart): StreamPart {
  if (part.type !== 'tool-call') return part;
  const { input } = part as Partial<ToolCallPart>;
  if (typeof input !== 'string' || !isTextDeeperThan(input, levelsMax)) return part;
  return { ...part, input: tooDeep } as ToolCallPart;
}

function callDoStream(model: ResolvedModel, options: unknown): PromiseLike<StreamResult> {
  return (model as unknown as { doStream(options: unknown): PromiseLike<StreamResult> }).doStream(options);
}
