/** Settles as `work` does, or with 'aborted' as soon as the signal has fired. What `work` does after that is ignored. */
export function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | 'aborted'> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve('aborted');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
