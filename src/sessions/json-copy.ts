/**
 * JSON from outside, copied once at the border: plain data, nobody else's, that a log gives back as it was. What JSON would
 * leave out or change in silence is refused.
 */
import { SubagentError } from '../errors.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { reading } from './outside.ts';

/** `JSON.stringify` overflows the stack near 7,000 levels and `structuredClone` near 4,000 (measured); real data has a dozen. */
export const levelsMax = 256;

/** About how much memory one value may take. It keeps a few objects that contain each other often from being a great many. */
const bytesMax = 64 * 1024 * 1024;
const bytesPerValue = 32;

interface Copying {
  readonly what: string;
  bytesLeft: number;
}

/**
 * Throws `INVALID_ARGUMENT`, in which `what` is named, for: a number that is not finite, a bigint, symbol or function, `undefined`
 * in a list, an object that is no plain one or has symbols for keys, more than 256 levels, more than about 64 MiB, and what throws
 * when it is read. A field that is `undefined` is left out, and -0 is 0.
 */
export function jsonCopy(value: unknown, what: string): JsonValue {
  return reading(what, () => copied(value, levelsMax, { what, bytesLeft: bytesMax }));
}

function copied(value: unknown, levelsLeft: number, copying: Copying): JsonValue {
  spend(copying, bytesPerValue + (typeof value === 'string' ? value.length : 0));
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value + 0; // -0 + 0 is 0, which is all that JSON knows
      throw refusal(copying, 'a number that is not finite');
    case 'object':
      if (value === null) return null;
      if (levelsLeft === 0) throw refusal(copying, `more than ${levelsMax} levels`);
      return Array.isArray(value) ? copiedList(value, levelsLeft - 1, copying) : copiedObject(value, levelsLeft - 1, copying);
    case 'undefined':
      throw refusal(copying, 'nothing at all');
    default:
      throw refusal(copying, `a ${typeof value}`);
  }
}

function copiedList(list: readonly unknown[], levelsLeft: number, copying: Copying): JsonValue[] {
  const copy: JsonValue[] = [];
  const { length } = list;
  for (let index = 0; index < length; index++) copy.push(copied(list[index], levelsLeft, copying));
  return copy;
}

function copiedObject(object: object, levelsLeft: number, copying: Copying): JsonObject {
  if (!isPlain(object)) throw refusal(copying, 'an object that is no plain one');
  if (Object.getOwnPropertySymbols(object).length > 0) throw refusal(copying, 'a key that is a symbol');
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(object)) {
    const value = (object as Record<string, unknown>)[key];
    if (value === undefined) continue;
    spend(copying, key.length);
    const own = copied(value, levelsLeft, copying);
    // an assignment to `__proto__` would change the prototype, and one to another word of a frozen prototype would throw
    if (key in copy) Object.defineProperty(copy, key, { value: own, enumerable: true, writable: true, configurable: true });
    else copy[key] = own;
  }
  return copy;
}

/** Also one of another realm. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype === null || prototype === Object.prototype) return typeof (object as { toJSON?: unknown }).toJSON !== 'function';
  return Object.getPrototypeOf(prototype) === null && typeof (object as { toJSON?: unknown }).toJSON !== 'function';
}

function spend(copying: Copying, bytes: number): void {
  copying.bytesLeft -= bytes;
  if (copying.bytesLeft < 0) throw refusal(copying, 'more than a log takes in one piece');
}

function refusal({ what }: Copying, bad: string): SubagentError {
  return new SubagentError('INVALID_ARGUMENT', `${what} is not plain JSON: it holds ${bad}`);
}
