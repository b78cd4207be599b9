/** How long file work may keep the event loop to itself, in milliseconds: signals and the live view wait no longer. */
const breathAfterMs = 8;

/**
 * File work is synchronous, since per small file that costs a quarter of the asynchronous way. Call and await the returned
 * function between two files: it lets other work run when it is due, and throws the signal's reason once that has fired.
 */
export function createPace(signal: AbortSignal): () => Promise<void> | undefined {
  let breathedAt = performance.now();
  return () => {
    signal.throwIfAborted();
    if (performance.now() - breathedAt < breathAfterMs) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        breathedAt = performance.now();
        resolve();
      });
    });
  };
}
