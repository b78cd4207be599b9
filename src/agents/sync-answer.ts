/**
 * What a callback gave that has to answer at once. One that gave a promise broke its contract: that answer does not count,
 * and what becomes of the promise must not end the process.
 */
export function syncAnswer<Value>(answer: Value): Value | undefined {
  if (typeof answer !== 'object' || answer === null || !('then' in answer) || typeof answer.then !== 'function') return answer;
  Promise.resolve(answer).catch(() => undefined); // nobody asked for it
  return undefined;
}

/** The same for a question whose answer is yes or no: anything but `true` is no. */
export function isYes(answer: unknown): boolean {
  return syncAnswer(answer) === true;
}
