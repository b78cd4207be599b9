/** The one error class of the library and the closed list of its codes. Callers branch on `code`, never on words. */

/**
 * Every reason for which an operation can be refused or fail. Public API: a code is never reused for another meaning.
 * Unless a line says otherwise, nothing was created, taken or written when the error reaches the caller.
 */
export type SubagentErrorCode =
  /** An argument has the wrong shape, type or range. */
  | 'INVALID_ARGUMENT'
  /** The provider does not offer what the request asks for, or offers neither way to start a child. */
  | 'UNSUPPORTED_CAPABILITY'
  /** No provider, preset or composition has that name. */
  | 'UNKNOWN_PROVIDER'
  | 'UNKNOWN_PRESET'
  | 'DUPLICATE_PROVIDER'
  /** The id is known already: live, starting or stored. */
  | 'DUPLICATE_CHILD'
  /** The caller is not the exact live agent that may do this. Unknown and forbidden targets get the same answer. */
  | 'UNAUTHORIZED'
  /** The target exists and is the caller's, but takes no messages: external, one-shot, or of unreadable mode. */
  | 'NOT_RESUMABLE'
  /** The child comes back only as itself; a stored setting cannot be honoured now (its preset is gone, say). */
  | 'RESUME_MISMATCH'
  /** The agent that is to start, hear or answer is not live (any more): closed, closing or settled. */
  | 'PARENT_UNAVAILABLE'
  /** The bound on simultaneously live activations is reached. The message names the bound and who holds the places. */
  | 'ACTIVATION_LIMIT_REACHED'
  /** The agent has started as many children as it may in its whole life. */
  | 'CHILD_LIMIT_REACHED'
  | 'DEPTH_EXCEEDED'
  | 'INBOX_FULL'
  | 'MESSAGE_TOO_LARGE'
  /** No unclaimed message has the id. */
  | 'MESSAGE_NOT_FOUND'
  /** The target is being released; the operation may be tried again. */
  | 'ACTIVATION_CLOSING'
  /** The parent admits no children any more. */
  | 'DRAINING'
  /** The caller's signal fired before the operation was accepted. */
  | 'CANCELLED'
  /** The operation's own bound expired. What it asked for may still happen unless its documentation excludes that. */
  | 'TIMED_OUT'
  /** A person's message cannot be delivered now. */
  | 'subagent/delivery-unavailable'
  /** The work ended, but releasing what it held failed. */
  | 'ACTIVATION_TEARDOWN_FAILED'
  /** The provider or driver broke its contract or failed in a way that no stop reason expresses. */
  | 'PROVIDER_FAILED'
  /** Another owner has taken the session over; this one may write nothing more. */
  | 'FENCED'
  /** Another live owner holds the session. */
  | 'BUSY'
  /** The write may or may not have happened; only reading the session tells. */
  | 'OUTCOME_UNKNOWN'
  | 'SESSION_EXISTS'
  | 'SESSION_NOT_FOUND'
  /** The session's log has a gap, a failed checksum or an unreadable record. */
  | 'SESSION_DAMAGED'
  /** The session's log was written by a newer version. */
  | 'SESSION_UNSUPPORTED'
  /** The store's file is torn, damaged, or no store. */
  | 'STORE_DAMAGED'
  /** The store was written by a newer version. */
  | 'STORE_UNSUPPORTED'
  /** The store is held by somebody else for longer than the bound. */
  | 'STORE_LOCKED'
  /** The disk is full. Nothing was written. */
  | 'STORE_FULL'
  /** The store failed; after a failed sync it stays failed. */
  | 'STORE_FAILED'
  | 'STORE_CLOSED'
  | 'RUNTIME_CLOSED';

const retryableCodes: ReadonlySet<SubagentErrorCode> = new Set([
  'ACTIVATION_LIMIT_REACHED',
  'INBOX_FULL',
  'ACTIVATION_CLOSING',
  'subagent/delivery-unavailable',
  'BUSY',
  'STORE_LOCKED',
  'STORE_FULL',
  'TIMED_OUT',
]);

export class SubagentError extends Error {
  override readonly name: string = 'SubagentError';
  readonly code: SubagentErrorCode;
  /** True if the same call can succeed later without the caller changing it. */
  readonly retryable: boolean;

  constructor(code: SubagentErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.retryable = retryableCodes.has(code);
  }
}

/** A read of a catalog or session failed, or was cancelled. Same codes. */
export class SessionQueryError extends SubagentError {
  override readonly name = 'SessionQueryError';
}

/** The code of an error of ours, or undefined. Works across copies of the library in one process, and for whatever was thrown. */
export function errorCode(error: unknown): SubagentErrorCode | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  try {
    const { name, code } = error as { name?: unknown; code?: unknown };
    if (name !== 'SubagentError' && name !== 'SessionQueryError') return undefined;
    return typeof code === 'string' ? (code as SubagentErrorCode) : undefined;
  } catch {
    return undefined; // it throws when it is read, which no error of ours does
  }
}

/** An error of ours stays itself; anything else becomes the cause of one with `code`. */
export function toSubagentError(error: unknown, code: SubagentErrorCode, message: string): SubagentError {
  return isOurs(error) ? error : new SubagentError(code, message, { cause: error });
}

function isOurs(error: unknown): error is SubagentError {
  try {
    return error instanceof SubagentError;
  } catch {
    return false; // a proxy can refuse even that question
  }
}
