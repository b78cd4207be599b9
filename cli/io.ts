import type { Screen } from './terminal/view.ts';

/** What a command has of the world besides files. */
export interface Io {
  out(text: string): void;
  readonly screen: Screen;
  /** Fires on the first Ctrl-C or SIGTERM. */
  readonly stop: AbortSignal;
}
