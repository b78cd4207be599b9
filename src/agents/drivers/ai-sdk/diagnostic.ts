/**
 * What a person is told of a failed model call: its class, its HTTP status, its provider, and words of our own (S5.4). Messages,
 * bodies, headers, addresses and causes are left out, since any of them can hold a key or a prompt (P38).
 */
import { RetryError } from 'ai';

export function describeFailure(error: unknown, provider: string): string {
  const attempts = RetryError.isInstance(error) ? error.errors.length : 1;
  const last = RetryError.isInstance(error) ? error.lastError : error;
  const status = statusOf(last);
  const facts = [
    className(last),
    status === undefined ? undefined : `HTTP ${status}${meaningOf(status)}`,
    isPlainName(provider) ? `provider ${provider}` : undefined,
    attempts > 1 ? `after ${attempts} attempts` : undefined,
  ];
  return `the model call failed: ${facts.filter((fact) => fact !== undefined).join(', ')}`;
}

/** An error can call itself anything; only what looks like the name of a class is repeated. */
function className(error: unknown): string {
  const name = read(error, 'name');
  return typeof name === 'string' && /^[A-Z][A-Za-z_]{0,60}Error$/.test(name) ? name : 'Error';
}

/** Some SDK errors carry the status themselves, some in the error that they wrap. */
function statusOf(error: unknown): number | undefined {
  for (const candidate of [error, read(error, 'cause')]) {
    const status = read(candidate, 'statusCode');
    if (typeof status === 'number' && Number.isInteger(status) && status >= 100 && status <= 599) return status;
  }
  return undefined;
}

function meaningOf(status: number): string {
  if (status === 401 || status === 403) return ' (the credentials were refused)';
  if (status === 404) return ' (the model was not found)';
  if (status === 408 || status === 504) return ' (it took too long)';
  if (status === 413) return ' (the request was too large)';
  if (status === 429) return ' (too many requests)';
  if (status >= 500) return ' (the server failed)';
  return status >= 400 ? ' (the request was refused)' : '';
}

function isPlainName(name: string): boolean {
  return /^[a-z][a-z0-9._-]{0,60}$/.test(name);
}

/** A field of a value that may be anything, a proxy that throws included. */
function read(value: unknown, field: string): unknown {
  try {
    return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
  } catch {
    // Nothing but the value's own getter throws here, and then the field is not to be had.
    return undefined;
  }
}
