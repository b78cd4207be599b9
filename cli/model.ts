/** Finds the language model that the user names: the embedded one, or one of an AI SDK provider package. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { Failure } from './exit.ts';
import { embeddedModelName, surveyModel } from './survey/model.ts';

type ImportPackage = (name: string) => Promise<Readonly<Record<string, unknown>>>;

export interface NamedModel {
  /** `provider/name`. */
  readonly name: string;
  readonly model: LanguageModelV4;
}

/** Throws a `Failure`: `usage` for what is no such name, else `modelUnknown`. Whether the provider knows the name shows only when it is called. */
export async function loadModel(name: string | undefined, importPackage: ImportPackage = importInstalled): Promise<NamedModel> {
  if (name === undefined || name === embeddedModelName) return { name: embeddedModelName, model: surveyModel() };
  const [, provider, modelId] = /^([a-z0-9][a-z0-9-]{0,60})\/(\S{1,200})$/.exec(name) ?? [];
  if (provider === undefined || modelId === undefined)
    throw new Failure('usage', `a model is named provider/name, not ${JSON.stringify(name)}; see troupe help`);
  const packageName = `@ai-sdk/${provider}`;
  const exported = await importProvider(packageName, importPackage);
  const create = findProvider(exported, provider);
  if (create === undefined) throw unknown(`${packageName} offers no language models`);
  try {
    return { name, model: create(modelId) };
  } catch (error) {
    throw unknown(`${packageName} has no model ${JSON.stringify(modelId)}`, error);
  }
}

async function importProvider(packageName: string, importPackage: ImportPackage): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await importPackage(packageName);
  } catch (error) {
    const isMissing = (error as { code?: unknown } | null)?.code === 'ERR_MODULE_NOT_FOUND';
    const reason = isMissing ? `is not installed; npm install ${packageName}` : 'cannot be loaded';
    throw unknown(`the package ${packageName} ${reason}`, error);
  }
}

type CreateModel = (modelId: string) => LanguageModelV4;

/** Packages export a ready provider under their own name in camel case: `openai`, `googleVertex` or just `vertex`. */
function findProvider(exported: Readonly<Record<string, unknown>>, provider: string): CreateModel | undefined {
  const camelCase = provider.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const candidates = [camelCase, provider.split('-').at(-1) ?? provider].map((name) => exported[name]);
  for (const candidate of candidates) {
    const languageModel = (candidate as { languageModel?: unknown } | undefined)?.languageModel;
    if (typeof languageModel === 'function') return (modelId) => languageModel.call(candidate, modelId) as LanguageModelV4;
  }
  return undefined;
}

function importInstalled(name: string): Promise<Readonly<Record<string, unknown>>> {
  return import(name) as Promise<Readonly<Record<string, unknown>>>;
}

function unknown(message: string, cause?: unknown): Failure {
  return new Failure('modelUnknown', message, { cause });
}
