/** Which model runs a turn, and with which settings: what an agent's options mean to the AI SDK. */
import { gateway, type LanguageModel, type LanguageModelCallOptions } from 'ai';
import { SubagentError } from '../../../errors.ts';
import type { AgentOptions } from '../../../sessions/event.ts';

/** Finds the model that the options name. Throws, rejects or gives nothing if there is none; called at each check and turn. */
export type AiSdkModelFactory = (options: AgentOptions) => LanguageModel | Promise<LanguageModel>;

export type ResolvedModel = Exclude<LanguageModel, string>;

type ReasoningEffort = NonNullable<LanguageModelCallOptions['reasoning']>;

/** LanguageModelV4CallOptions.reasoning, @ai-sdk/provider 4.0. */
const reasoningEfforts: Readonly<Record<ReasoningEffort, true>> = {
  'provider-default': true,
  none: true,
  minimal: true,
  low: true,
  medium: true,
  high: true,
  xhigh: true,
  max: true,
};

export async function resolveModel(source: LanguageModel | AiSdkModelFactory, options: AgentOptions): Promise<ResolvedModel> {
  callSettings(options);
  if (typeof source !== 'function') return fixedModel(source, options);
  let model: ResolvedModel | undefined;
  try {
    model = toModel(await source(options));
  } catch (error) {
    throw unknownModel(options, error);
  }
  if (typeof model?.doStream !== 'function') throw unknownModel(options);
  return model;
}

/** The call settings that the options ask for. Throws `INVALID_ARGUMENT` for one that no model takes. */
export function callSettings(options: AgentOptions): Pick<LanguageModelCallOptions, 'maxOutputTokens' | 'reasoning'> {
  const { maxTokens, reasoningEffort } = options;
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens > 0)) {
    throw new SubagentError('INVALID_ARGUMENT', 'maxTokens is a whole number above 0');
  }
  if (reasoningEffort !== undefined && !isReasoningEffort(reasoningEffort)) {
    throw new SubagentError('INVALID_ARGUMENT', `reasoningEffort is one of ${Object.keys(reasoningEfforts).join(', ')}`);
  }
  return {
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(reasoningEffort !== undefined && { reasoning: reasoningEffort }),
  };
}

function isReasoningEffort(text: string): text is ReasoningEffort {
  return Object.hasOwn(reasoningEfforts, text);
}

/** Options that name another model than the only one are refused: what is accepted is not ignored (S1.7). */
function fixedModel(source: LanguageModel, options: AgentOptions): ResolvedModel {
  const model = toModel(source);
  const isOther = options.model !== undefined && options.model !== model.modelId;
  // The SDK names the interface behind the provider: `openai.responses`.
  const isElsewhere =
    options.provider !== undefined && options.provider !== model.provider && options.provider !== model.provider.split('.')[0];
  if (isOther || isElsewhere) throw unknownModel(options);
  return model;
}

/** A plain name means what it means everywhere in the SDK: a model of the default provider. */
function toModel(model: LanguageModel): ResolvedModel {
  return typeof model === 'string' ? (globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway).languageModel(model) : model;
}

function unknownModel({ provider, model }: AgentOptions, cause?: unknown): SubagentError {
  const wanted = [model === undefined ? 'model' : `model "${model}"`, provider === undefined ? '' : ` of provider "${provider}"`];
  return new SubagentError('UNSUPPORTED_CAPABILITY', `the driver has no ${wanted.join('')} to run this agent`, { cause });
}
