/** Ctrl-C and SIGTERM: the first asks for an orderly end, the second is one at once. */
import { exitCodes } from './exit.ts';

export interface Signals {
  readonly stop: AbortSignal;
  /** The exit code that the first signal asks for; undefined if there was none. */
  exitCode(): number | undefined;
  release(): void;
}

/** npm hands a Ctrl-C on to its child, which has had it from the terminal already: what comes this soon is the same one. */
const sameSignalMs = 250;

const codes = { SIGINT: exitCodes.interrupted, SIGTERM: exitCodes.terminated } as const;

/** What of `process` this needs. */
export type SignalSource = Pick<NodeJS.Process, 'on' | 'off' | 'exit'>;

export function listenForSignals(source: SignalSource = process): Signals {
  const controller = new AbortController();
  let code: number | undefined;
  let firstAt = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    if (code !== undefined) {
      if (performance.now() - firstAt > sameSignalMs) source.exit(code);
      return;
    }
    firstAt = performance.now();
    code = codes[signal as keyof typeof codes];
    controller.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) source.on(signal, onSignal);
  return {
    stop: controller.signal,
    exitCode: () => code,
    release() {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) source.off(signal, onSignal);
    },
  };
}
