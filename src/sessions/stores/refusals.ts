/** What every store answers when it refuses a call. A refused call has written nothing. */
import { SubagentError } from '../../errors.ts';
import type { SessionId } from '../ids.ts';

export function notFound(id: SessionId): SubagentError {
  return new SubagentError('SESSION_NOT_FOUND', `no session has the id ${id}`);
}

export function exists(id: SessionId): SubagentError {
  return new SubagentError('SESSION_EXISTS', `a session with the id ${id} exists`);
}

export function fenced(id: SessionId): SubagentError {
  return new SubagentError('FENCED', `session ${id} was claimed again, or its log is longer than the writer knows`);
}

export function busy(id: SessionId): SubagentError {
  return new SubagentError('BUSY', `session ${id} is held by another live owner`);
}

export function closed(): SubagentError {
  return new SubagentError('STORE_CLOSED', 'the store is closed');
}
