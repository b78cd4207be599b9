/** Assertions whose messages begin with the promise that was broken. Whatever runs the suite shows them. */
import assert, { AssertionError } from 'node:assert/strict';
import { errorCode, type SubagentErrorCode } from '../../errors.ts';

/** Throws unless the two are the same data. */
export function same(actual: unknown, expected: unknown, promise: string): void {
  try {
    assert.deepStrictEqual(actual, expected);
  } catch (error) {
    const difference = error instanceof Error ? error.message : String(error);
    throw new AssertionError({ message: `${promise}\n${difference}`, actual, expected });
  }
}

/** Throws unless `call` resolves with this data. */
export async function gives(call: Promise<unknown>, expected: unknown, promise: string): Promise<void> {
  const said = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ refused: error }),
  );
  if ('value' in said) return same(said.value, expected, promise);
  const { refused } = said;
  const message = refused instanceof Error ? refused.message : String(refused);
  throw new AssertionError({ message: `${promise}\nit was refused: ${message}`, actual: refused, expected });
}

export function holds(condition: boolean, promise: string): asserts condition {
  assert.ok(condition, promise);
}

/** Throws unless `call` rejects with an error of the library that has the code. */
export async function refuses(call: Promise<unknown>, code: SubagentErrorCode, promise: string): Promise<void> {
  assert.equal(await answerOf(call), code, promise);
}

/** How a call was answered, as one word: the code of an error of the library, `resolved`, or the name of another error. */
export async function answerOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'resolved';
  } catch (error) {
    return errorCode(error) ?? `rejected with ${error instanceof Error ? error.name : typeof error}, no error of the library`;
  }
}
