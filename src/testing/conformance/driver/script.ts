/**
 * What the model behind a driver says. The suite writes it, the author of a driver translates it for the model that his driver
 * talks to: a mock, a local server, a recorded session.
 */
import type { JsonObject } from '../../../sessions/json.ts';

/** What a model says in one call. */
export type ModelAnswer =
  /** A last word: the model is done unless something new has come. */
  | { readonly kind: 'say'; readonly text: string }
  /** All in one answer. The calls carry ids of the model's own making. */
  | { readonly kind: 'call'; readonly calls: readonly { readonly toolName: string; readonly input: JsonObject }[] }
  /** Hands in the structured result, in whichever way the driver asks its models to. */
  | { readonly kind: 'submit'; readonly value: JsonObject }
  /** The answer breaks off after `text`: at the limit of tokens, or because the model declined. */
  | { readonly kind: 'cut'; readonly text: string; readonly reason: 'max-tokens' | 'refusal' }
  /** The call fails with `error`. A failure that its kind of model repeats by itself is the author's to avoid. */
  | { readonly kind: 'fail'; readonly error: unknown }
  /** Says `text` and then nothing, for ever. It may hear the signal of the call or not. */
  | { readonly kind: 'hang'; readonly text: string };

export type ModelAnswerKind = ModelAnswer['kind'];

/** One message that a model was shown. */
export interface ShownMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Its texts, joined; of results, the output as JSON or text. */
  readonly text: string;
}

export interface DriverScript {
  /** To be asked once at the beginning of each model call, with all that the model is shown, oldest first. */
  answer(shown: readonly ShownMessage[]): ModelAnswer;
}

/** The script of one case, and what it saw. */
export interface PlayedScript extends DriverScript {
  /** What the model was shown, call by call. */
  readonly calls: readonly (readonly ShownMessage[])[];
  /** How many calls there were beyond the last answer. */
  readonly beyond: number;
}

/** Gives the answers in order; a function is asked at its turn. Beyond the last the model says that it has nothing to say. */
export function play(...answers: readonly (ModelAnswer | ((shown: readonly ShownMessage[]) => ModelAnswer))[]): PlayedScript {
  const calls: (readonly ShownMessage[])[] = [];
  return {
    calls,
    get beyond() {
      return Math.max(0, calls.length - answers.length);
    },
    answer(shown) {
      const next = answers[calls.length];
      calls.push([...shown]);
      if (next === undefined) return { kind: 'say', text: 'nothing more' };
      return typeof next === 'function' ? next(shown) : next;
    },
  };
}

export const say = (text: string): ModelAnswer => ({ kind: 'say', text });
export const hang = (text = ''): ModelAnswer => ({ kind: 'hang', text });
export const submit = (value: JsonObject): ModelAnswer => ({ kind: 'submit', value });
export const fail = (error: unknown): ModelAnswer => ({ kind: 'fail', error });
export const cut = (text: string, reason: 'max-tokens' | 'refusal'): ModelAnswer => ({ kind: 'cut', text, reason });

export function call(...calls: readonly (string | readonly [toolName: string, input: JsonObject])[]): ModelAnswer {
  return {
    kind: 'call',
    calls: calls.map((one) => (typeof one === 'string' ? { toolName: one, input: {} } : { toolName: one[0], input: one[1] })),
  };
}

/** All that was shown in one call, one message after the other. */
export function textShown(shown: readonly ShownMessage[] | undefined): string {
  return (shown ?? []).map(({ text }) => text).join('\n');
}
