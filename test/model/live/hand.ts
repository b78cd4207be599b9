/** An answer that is given by hand. */
export interface Hand<Value> {
  /** Asks; resolves or rejects when the test answers. */
  ask(): Promise<Value>;
  /** How many ask and have no answer. */
  readonly asking: number;
  give(value: Value): void;
  refuse(error: unknown): void;
  /** Answers whoever asks from now on at once. */
  always(value: Value): void;
}

export function hand<Value>(): Hand<Value> {
  let waiting: PromiseWithResolvers<Value>[] = [];
  let standing: { readonly value: Value } | undefined;
  const answer = (settle: (asked: PromiseWithResolvers<Value>) => void) => {
    const asked = waiting;
    waiting = [];
    for (const one of asked) settle(one);
  };
  return {
    ask() {
      if (standing !== undefined) return Promise.resolve(standing.value);
      const asked = Promise.withResolvers<Value>();
      asked.promise.catch(() => undefined); // whoever asked hears of it too; a question nobody waits for any more must not end the process
      waiting.push(asked);
      return asked.promise;
    },
    get asking() {
      return waiting.length;
    },
    give: (value) => answer(({ resolve }) => resolve(value)),
    refuse: (error) => answer(({ reject }) => reject(error)),
    always(value) {
      standing = { value };
      answer(({ resolve }) => resolve(value));
    },
  };
}
