import { SubagentError } from '../../src/errors.ts';

/** The code with which the work is refused; `done` if it is not. Anything but an error of the library's own fails the test. */
export async function codeOf(work: Promise<unknown> | (() => unknown)): Promise<string> {
  try {
    await (typeof work === 'function' ? work() : work);
    return 'done';
  } catch (error) {
    if (error instanceof SubagentError) return error.code;
    throw new Error(`not an error of the library: ${String(error)}`, { cause: error });
  }
}
