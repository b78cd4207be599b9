/** What a host gives to make a runtime, read once and checked at the door. */
import { SubagentError } from '../errors.ts';
import { fieldsOf, reading } from '../sessions/outside.ts';
import type { SessionStore } from '../sessions/store.ts';
import type { RuntimeOptions } from './create-runtime.ts';

const fields = ['store', 'clock', 'ids', 'limits', 'capacity', 'presets', 'onFault'] as const;

/** Throws `INVALID_ARGUMENT`. What is behind a field is checked by whoever uses it. */
export function readOptions(given: unknown): RuntimeOptions {
  const options = fieldsOf(given, fields, 'a set of options');
  const { clock, ids, onFault } = options;
  if (clock !== undefined) mustHave(clock, ['now', 'schedule'], 'the clock');
  if (ids !== undefined) mustHave(ids, ['next'], 'the source of ids');
  if (onFault !== undefined && typeof onFault !== 'function') throw invalid('onFault is a function');
  return options as RuntimeOptions;
}

const storeMethods = [
  'head',
  'read',
  'create',
  'claim',
  'renew',
  'handBack',
  'append',
  'check',
  'remove',
  'children',
  'pending',
  'roots',
  'close',
] as const satisfies readonly (keyof SessionStore)[];

export function checkedStore(store: SessionStore): SessionStore {
  mustHave(store, storeMethods, 'the store');
  if (typeof fieldsOf(store, ['leaseMs'], 'the store').leaseMs !== 'number') throw invalid('the store has no leaseMs');
  return store;
}

/** The defaults with what is given in their place. Throws `INVALID_ARGUMENT` for an unknown limit, and for one that is no non-negative number. */
export function checkedLimits<Values extends object>(defaults: Values, given: unknown): Values {
  if (given !== undefined && (typeof given !== 'object' || given === null)) throw invalid('a set of limits is an object');
  const own = reading('a set of limits', () => Object.entries(given ?? {}));
  const unknown = own.find(([name]) => !Object.hasOwn(defaults, name));
  if (unknown !== undefined) throw invalid(`there is no limit ${unknown[0]}`);
  const limits = { ...defaults, ...Object.fromEntries(own) };
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value !== 'number' || Number.isNaN(value) || value < 0)
      throw invalid(`the limit ${name} is a non-negative number`);
  }
  return limits;
}

function mustHave(value: unknown, methods: readonly string[], what: string): void {
  const given = fieldsOf(value, methods, what);
  const missing = methods.find((name) => typeof given[name] !== 'function');
  if (missing !== undefined) throw invalid(`${what} has no method ${missing}`);
}

function invalid(what: string): SubagentError {
  return new SubagentError('INVALID_ARGUMENT', what);
}
