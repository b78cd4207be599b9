import { SubagentError } from '../errors.ts';

declare const sessionBrand: unique symbol;
declare const messageBrand: unique symbol;

/** Names one session and the agent that lives in it, for ever. */
export type SessionId = string & { readonly [sessionBrand]: true };
/** Names one accepted message. */
export type MessageId = string & { readonly [messageBrand]: true };

/** Letters, digits, `-` and `_` only: an id is also used as a key and may reach file names and terminals. */
const sessionIdPattern = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export function isSessionId(text: unknown): text is SessionId {
  return typeof text === 'string' && sessionIdPattern.test(text);
}

/** Checks an id that came from outside. Throws `INVALID_ARGUMENT` unless it is 1 to 64 of `[a-z0-9_-]`, the first of `[a-z0-9]`. */
export function toSessionId(text: unknown): SessionId {
  if (isSessionId(text)) return text;
  throw new SubagentError(
    'INVALID_ARGUMENT',
    'a session id is 1 to 64 characters of [a-z0-9_-] and starts with a letter or digit',
  );
}
