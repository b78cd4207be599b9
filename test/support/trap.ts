/**
 * Fails the test file in which a promise was rejected with no handler, or an exception reached the top of the process.
 * Vitest reports such errors for the run as a whole; this names the file as well, and stays when a test replaces listeners.
 */
import { afterAll } from 'vitest';

const escaped: { kind: string; reason: unknown }[] = [];

process.on('unhandledRejection', (reason) => escaped.push({ kind: 'unhandled rejection', reason }));
process.on('uncaughtException', (reason) => escaped.push({ kind: 'uncaught exception', reason }));

afterAll(async () => {
  // XState reports an error nobody handles from a timer of zero, so let the timers already set go first.
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setImmediate(resolve));
  if (escaped.length === 0) return;
  throw new AggregateError(
    escaped.map(({ reason }) => reason),
    `errors escaped to the process: ${escaped.map(({ kind, reason }) => `${kind}: ${String(reason)}`).join('; ')}`,
  );
});
