/**
 * Waiting for a signal together with many others. Node compares a new listener of a signal with every earlier one, so that a
 * host which starts thousands of children under one signal would pay for each as often as there are others.
 */
interface Waiting {
  readonly all: Set<() => void>;
  /** The one listener of the signal. */
  fire(): void;
}

const waiting = new WeakMap<AbortSignal, Waiting>();

/** Calls `run`, which must not throw, when `signal` fires. Returns what takes that back. A signal that has fired calls nothing. */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const { all, fire } = waiting.get(signal) ?? listen(signal);
  all.add(run);
  return () => {
    all.delete(run);
    if (all.size > 0) return;
    // a signal of several sources, or of a time-out, is held for as long as somebody listens
    signal.removeEventListener('abort', fire);
    waiting.delete(signal);
  };
}

function listen(signal: AbortSignal): Waiting {
  const all = new Set<() => void>();
  const entry: Waiting = {
    all,
    fire() {
      waiting.delete(signal);
      for (const run of all) run();
    },
  };
  waiting.set(signal, entry);
  signal.addEventListener('abort', entry.fire, { once: true });
  return entry;
}
