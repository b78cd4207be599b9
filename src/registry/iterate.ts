import type { Observable, Subscription } from 'rxjs';

/** Values that a slow reader may leave waiting; the oldest are dropped beyond it. */
const waitingMax = 10_000;

/**
 * The async-iterable twin of an observable. It subscribes with the first `next` and unsubscribes when the loop is left;
 * `return` ends a `next` that still waits.
 */
export function iterate<Value>(source: Observable<Value>): AsyncGenerator<Value, void, void> {
  return new Iteration(source);
}

class Iteration<Value> implements AsyncGenerator<Value, void, void> {
  readonly #source: Observable<Value>;
  readonly #values: Value[] = [];
  readonly #readers: ((result: IteratorResult<Value, void>) => void)[] = [];
  #subscription: Subscription | undefined;
  #isOver = false;

  constructor(source: Observable<Value>) {
    this.#source = source;
  }

  next(): Promise<IteratorResult<Value, void>> {
    if (!this.#isOver) this.#subscription ??= this.#subscribe();
    if (this.#values.length > 0) return Promise.resolve({ done: false, value: this.#values.shift() as Value });
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  return(): Promise<IteratorResult<Value, void>> {
    this.#values.length = 0;
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  async throw(fault: unknown): Promise<IteratorResult<Value, void>> {
    await this.return();
    throw fault;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #subscribe(): Subscription {
    return this.#source.subscribe({ next: (value) => this.#take(value), complete: () => this.#end() });
  }

  #take(value: Value): void {
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader({ done: false, value });
      return;
    }
    if (this.#values.length === waitingMax) this.#values.shift();
    this.#values.push(value);
  }

  #end(): void {
    this.#isOver = true;
    this.#subscription?.unsubscribe();
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined });
  }
}
