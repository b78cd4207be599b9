/**
 * Abort signals that a transition asked for. Their listeners are other people's code and may call straight back, so they
 * are told behind the transition: at once by whoever sent the stop, and in any case before the next task.
 */
export class Aborts {
  #waiting: (() => void)[] = [];

  /** From inside a transition. */
  request(abort: () => void): void {
    if (this.#waiting.length === 0) queueMicrotask(() => this.fire());
    this.#waiting.push(abort);
  }

  /** Behind the transitions of one stop. */
  fire(): void {
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const abort of waiting) abort();
    }
  }
}
