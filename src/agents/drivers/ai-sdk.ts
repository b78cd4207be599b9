/**
 * Runs turns on the AI SDK. Needs the package `ai` 7; the host brings the models and their keys.
 *
 * I1  A step is: check, one model call, its answer recorded, its tools run, their results recorded. The next begins after that.
 * I2  A tool runs only after the answer that calls it is committed, so its idempotency key names a committed event.
 * I3  What the model is shown is balanced: every call has one result, also after an abort, a failure or a limit.
 * I4  Messages are claimed only while a further step may follow; what is left opens the next turn.
 * I5  Once the signal has fired nothing is waited for but the log, and what a model or tool still says is ignored.
 */
import type { LanguageModel } from 'ai';
import { SubagentError } from '../../errors.ts';
import type { AgentOptions } from '../../sessions/event.ts';
import type { JsonObject } from '../../sessions/json.ts';
import type { AgentDriver } from '../driver.ts';
import { type AiSdkModelFactory, resolveModel } from './ai-sdk/model.ts';
import { runTurn } from './ai-sdk/turn.ts';

export type { AiSdkModelFactory } from './ai-sdk/model.ts';
export { toAiSdkTools } from './ai-sdk/tools.ts';

export interface AiSdkDriverOptions {
  /** One model for every agent, or how to find the one that an agent's options name. */
  readonly model: LanguageModel | AiSdkModelFactory;
  /** Model calls in one turn, 50 unless given. A turn that reaches the limit and is not done ends as `error`. */
  readonly stepsMax?: number;
  /** Repeats of a call that failed before its stream began in a way the SDK deems passing (429, 5xx). 2 unless given. */
  readonly maxRetries?: number;
  /** UTF-8 bytes of one tool result that the log and the model see, 262,144 unless given. One line with the true size comes on top. */
  readonly toolResultBytesMax?: number;
  /** Whether the models take images. The SDK cannot tell; false unless given. */
  readonly acceptsImages?: boolean | ((options: AgentOptions) => boolean);
  /** Sent along with every model call, by provider name. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
}

/**
 * Of an agent's options, `provider` and `model` go to the factory, `maxTokens` bounds one model call, and `reasoningEffort`
 * is the SDK's `reasoning` setting. `validate` rejects `UNSUPPORTED_CAPABILITY` for a model that is not to be had and
 * `INVALID_ARGUMENT` for a setting that no model takes. Throws `INVALID_ARGUMENT` for a bad option of its own.
 */
export function aiSdkDriver(options: AiSdkDriverOptions): AgentDriver {
  const { model, acceptsImages = false } = (options ?? {}) as Partial<AiSdkDriverOptions>;
  if (model === undefined || model === null) throw new SubagentError('INVALID_ARGUMENT', 'the driver needs a model');
  const settings = {
    model,
    stepsMax: countFrom(1, 'stepsMax', options.stepsMax ?? 50),
    maxRetries: countFrom(0, 'maxRetries', options.maxRetries ?? 2),
    toolResultBytesMax: countFrom(1, 'toolResultBytesMax', options.toolResultBytesMax ?? 256 * 1024),
    providerOptions: options.providerOptions ?? {},
  };
  return {
    name: 'ai-sdk',
    acceptsImages: (agentOptions) => (typeof acceptsImages === 'function' ? acceptsImages(agentOptions) : acceptsImages),
    async validate(agentOptions) {
      await resolveModel(model, agentOptions);
    },
    runTurn: (turn) => runTurn(turn, settings),
  };
}

function countFrom(least: number, name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new SubagentError('INVALID_ARGUMENT', `${name} is a whole number, at least ${least}`);
}
