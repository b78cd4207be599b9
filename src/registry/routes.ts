/**
 * Ways of messages: what one sender sends to one child goes in the order in which it was sent, however long it takes to find out
 * where the child is. A message waits until the one before it is on its way: offered to the child, or refused.
 */
import { untilAborted } from './until-aborted.ts';

export class Routes {
  /** The last message of each way, until it has gone. */
  readonly #last = new Map<string, Promise<void>>();

  /** Whether nothing is waiting here. */
  isFree(way: string): boolean {
    return !this.#last.has(way);
  }

  /** Runs `send` when all that came before has gone. `send` calls `gone` once the next may go; its end lets it go as well. */
  async inOrder<Value>(
    way: string,
    signal: AbortSignal | undefined,
    cancelled: () => Error,
    send: (gone: () => void) => Promise<Value>,
  ): Promise<Value> {
    const before = this.#last.get(way);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(way, promise);
    const gone = () => {
      resolve();
      if (this.#last.get(way) === promise) this.#last.delete(way);
    };
    try {
      if (before !== undefined) await untilAborted(before, signal, cancelled);
      return await send(gone);
    } finally {
      // one that was cancelled while it waited does not let the next pass those before it
      if (before === undefined) gone();
      else before.then(gone, gone);
    }
  }
}
