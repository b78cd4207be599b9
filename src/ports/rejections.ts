/** Rejections of this process that nobody handles. */
export interface RejectionWatch {
  /** Why, in the order in which they came. A rejection that is handled only later counts too. */
  readonly seen: readonly unknown[];
  stop(): void;
}

/** Watches from now on. As long as anybody listens, Node does not end the process over such a rejection. */
export function watchRejections(): RejectionWatch {
  const seen: unknown[] = [];
  const note = (reason: unknown) => void seen.push(reason);
  process.on('unhandledRejection', note);
  return { seen, stop: () => void process.off('unhandledRejection', note) };
}
