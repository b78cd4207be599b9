/** Resolves in a later turn of the event loop, when every promise that could go on without the world has gone on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
