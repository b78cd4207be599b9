/**
 * Reading what other people's code hands in. Each field is read once, so that what was checked is what is used, and whatever
 * its getters and proxies throw is a refusal like any other.
 */
import { SubagentError, toSubagentError } from '../errors.ts';

/** Items of a list that says nothing of how many it may have. Nobody means more, and a sparse list can claim four billion. */
const itemsMax = 100_000;

/** The named fields. Throws `INVALID_ARGUMENT` for what is no object, or cannot be read; `what` names it in a sentence. */
export function fieldsOf<Name extends string>(
  value: unknown,
  names: readonly Name[],
  what: string,
): { readonly [Key in Name]?: unknown } {
  if (typeof value !== 'object' || value === null) throw invalid(`${what} is an object`);
  return reading(what, () => {
    const fields: { [Key in Name]?: unknown } = {};
    for (const name of names) fields[name] = (value as { [Key in Name]?: unknown })[name];
    return fields;
  });
}

/** What `read` makes of each item, holes included. Throws `INVALID_ARGUMENT` for what is no list, is too long, or cannot be read. */
export function listOf<Item>(value: unknown, what: string, read: (item: unknown, index: number) => Item, max = itemsMax): Item[] {
  return reading(what, () => {
    if (!Array.isArray(value)) throw invalid(`${what} is a list`);
    const items: Item[] = [];
    const { length } = value;
    for (let index = 0; index < length; index++) {
      if (index === max) throw invalid(`${what} has at most ${max} items`);
      items.push(read(value[index], index));
    }
    return items;
  });
}

/** A signal that can be listened to, or none. Throws `INVALID_ARGUMENT`. */
export function signalOf(value: unknown): AbortSignal | undefined {
  if (value === undefined) return undefined;
  return reading('the signal', () => {
    // the getter throws for what only has the prototype
    if (value instanceof AbortSignal && typeof value.aborted === 'boolean') return value;
    throw invalid('the signal is an AbortSignal');
  });
}

/** Runs `read`; what it throws that is no error of ours becomes a refusal. */
export function reading<Value>(what: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw toSubagentError(error, 'INVALID_ARGUMENT', `${what} cannot be read`);
  }
}

function invalid(what: string): SubagentError {
  return new SubagentError('INVALID_ARGUMENT', what);
}
