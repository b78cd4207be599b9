import type { Writable } from 'node:stream';
import { Failure } from './exit.ts';
import type { Screen } from './terminal/view.ts';

/** What a command has of the world besides files. */
export interface Io {
  /** Resolves when it is written. Rejects with a `Failure` if it cannot be. */
  out(text: string): Promise<void>;
  readonly screen: Screen;
  /** Fires on the first Ctrl-C or SIGTERM. */
  readonly stop: AbortSignal;
}

/** A reader that has gone is no failure. */
export function writerTo(stream: Writable): Io['out'] {
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => {
        const code = (error as NodeJS.ErrnoException | null | undefined)?.code;
        if (!error || code === 'EPIPE') resolve();
        else reject(new Failure('failed', `standard output cannot be written: ${code ?? error.message}`, { cause: error }));
      });
    });
}
