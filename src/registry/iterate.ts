import type { Observable } from 'rxjs';

/** Values that a slow reader may leave waiting; the oldest are dropped beyond it. */
const waitingMax = 10_000;

/** The async-iterable twin of an observable. Leaving the loop unsubscribes. */
export async function* iterate<Value>(source: Observable<Value>): AsyncGenerator<Value, void, void> {
  const waiting: Value[] = [];
  let isOver = false;
  let wake: (() => void) | undefined;
  const subscription = source.subscribe({
    next: (value) => {
      if (waiting.length === waitingMax) waiting.shift();
      waiting.push(value);
      wake?.();
    },
    complete: () => {
      isOver = true;
      wake?.();
    },
  });
  try {
    while (true) {
      while (waiting.length > 0) yield waiting.shift() as Value;
      if (isOver) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    subscription.unsubscribe();
  }
}
