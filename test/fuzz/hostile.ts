/** Values as outside bytes and other people's code may bring them: every JSON, and everything that only looks like JSON. */
import fc from 'fast-check';

/** Words of the language, and names that a careless reader of keys trips over. */
export const words = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  'toJSON',
] as const;

/** Texts that have broken logs, terminals and file names elsewhere. */
export const awkwardTexts = [
  ...['', ' ', '.', '..', '../..', '/etc/passwd', '%2e%2e%2f', 'a/../../b', '~', '-rf', '--', 'CON', 'NUL.txt', 'C:\\'],
  ...['\0', 'a\0b', '\n', 'a\nb', '\r\n', '\u001b[2J', '\u001b]0;title\u0007', '\u009b31m', '\u007f', '\b\b\b'],
  ...['\u2028', '\u2029', '\ud800', '\udfff', 'x\ud800y', '\ufeff', '\u202e', '\u200f', '\u061c', '\u2066x\u2069', '\u200b'],
  ...['e\u0301', 'a'.concat('\u0300'.repeat(60)), 'x'.repeat(300), 'ö'.repeat(300), '👩‍👩‍👧', '\u{e0041}\u{e0042}', '𝒳'],
  ...['null', 'undefined', 'NaN', '0', '-1', '1e400', 'true', '[object Object]', '{"a":1}', '{{7*7}}', "'; drop table event; --"],
  ...words,
];

export const text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...awkwardTexts),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.array(fc.constantFrom(...awkwardTexts), { minLength: 2, maxLength: 4 }).map((parts) => parts.join('')),
);

const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53), Number.MIN_VALUE, Number.MAX_VALUE, 1e21, 0.1),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

const key = fc.oneof(fc.constantFrom(...words), text);

/** Any JSON, with the words of the language among its keys at every level. */
export const json: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    number,
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

class Instance {
  readonly own = 1;
  get inherited(): number {
    return 2;
  }
}

/** Arrays or objects nested so deep. */
export function nested(levels: number, isArray = true): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = isArray ? [value] : { a: value };
  return value;
}

function cycle(): unknown {
  const value: Record<string, unknown> = { a: 1 };
  value.self = [value];
  return value;
}

/** A few objects that are a great many when they are written out. */
export function bomb(levels: number): unknown {
  let value: unknown = 'boom';
  for (let level = 0; level < levels; level++) value = [value, value];
  return value;
}

export function throwing(): unknown {
  return Object.defineProperty({ fine: 1 }, 'bad', {
    enumerable: true,
    get() {
      throw new Error('this field cannot be read: sk-secret');
    },
  });
}

/** Answers every question about itself with an error. */
export function hostileProxy(): unknown {
  const refuse = () => {
    throw new Error('no');
  };
  return new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse });
}

export function revokedProxy(): unknown {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
}

/** Each makes a value that JSON cannot hold as it is. Made anew for each case: some of them remember that they were read. */
export const noJson: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  NaN: () => Number.NaN,
  Infinity: () => Number.POSITIVE_INFINITY,
  '-Infinity': () => Number.NEGATIVE_INFINITY,
  '1e400': () => Number('1e400'),
  bigint: () => 9_007_199_254_740_993n,
  symbol: () => Symbol('s'),
  function: () => () => 1,
  date: () => new Date(0),
  'invalid date': () => new Date(Number.NaN),
  map: () => new Map([['a', 1]]),
  set: () => new Set([1]),
  bytes: () => new Uint8Array([1, 2]),
  error: () => new Error('an error'),
  expression: () => /x/g,
  promise: () => Promise.resolve(1),
  'boxed number': () => Object(1),
  instance: () => new Instance(),
  toJSON: () => ({ toJSON: () => ({ other: true }) }),
  'toJSON that throws': () => ({
    toJSON() {
      throw new Error('no');
    },
  }),
  'symbol key': () => ({ [Symbol('s')]: 1 }),
  'sparse array': () => {
    const list: unknown[] = [1];
    list[3] = 2;
    return list;
  },
  'endless sparse array': () => new Array(4_294_967_295),
  'undefined in a list': () => [undefined],
  cycle,
  'nested 300 levels': () => nested(300),
  'nested 5,000 levels': () => nested(5_000, false),
  'nested 200,000 levels': () => nested(200_000),
  'billion values': () => bomb(30),
  'getter that throws': throwing,
  'proxy that throws': hostileProxy,
  'revoked proxy': revokedProxy,
};

/** A value that is made when it is wanted: the generator itself would trip over some, and others remember that they were read. */
export class Sample {
  readonly #name: string;
  readonly make: () => unknown;
  constructor(name: string, make: () => unknown) {
    this.#name = name;
    this.make = make;
  }
  [fc.toStringMethod](): string {
    return this.#name;
  }
}

const spots = ['bare', 'item', 'field', 'deep'] as const;

function around(bad: unknown, spot: (typeof spots)[number], field: string): unknown {
  switch (spot) {
    case 'bare':
      return bad;
    case 'item':
      return ['x', bad, 1];
    case 'field':
      return Object.fromEntries([[field, bad]]);
    case 'deep':
      return { a: [{ b: { [`x${field}`]: [bad] } }] };
  }
}

/** What JSON cannot hold, alone or somewhere inside of what it can. */
export const notJson: fc.Arbitrary<Sample> = fc
  .tuple(fc.constantFrom(...Object.keys(noJson)), fc.constantFrom(...spots), key)
  .filter(([name, spot]) => name !== 'undefined' || spot === 'item' || spot === 'deep') // elsewhere it is as good as absent
  .map(([name, spot, field]) => new Sample(`${name}, ${spot}`, () => around(noJson[name]?.(), spot, field)));

const anyJson = json.map((value) => new Sample(fc.stringify(value), () => value));

/** Anything at all. */
export const anything: fc.Arbitrary<Sample> = fc.oneof({ weight: 3, arbitrary: anyJson }, { weight: 2, arbitrary: notJson });

/** An object with some of these fields, each of which is anything, or one of the values that mean something there. */
export function objectOf(fields: Readonly<Record<string, readonly unknown[]>>): fc.Arbitrary<Sample> {
  const samples = Object.entries(fields).map(([name, fitting]) => {
    const value =
      fitting.length === 0 ? anything : fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...fitting.map(fixed)) }, anything);
    const sample = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 4, arbitrary: value });
    return sample.map((drawn) => [name, drawn] as const);
  });
  return fc.tuple(...samples).map((entries) => {
    const present = entries.filter((entry): entry is readonly [string, Sample] => entry[1] !== null);
    const name = present.map(([field, sample]) => `${field}: ${sample[fc.toStringMethod]()}`).join(', ');
    return new Sample(`{ ${name} }`, () => Object.fromEntries(present.map(([field, sample]) => [field, sample.make()])));
  });
}

function fixed(value: unknown): Sample {
  return value instanceof Sample ? value : new Sample(fc.stringify(value), () => value);
}

// an assignment through `__proto__` throws from now on, in whatever code it is
Object.freeze(Object.prototype);
const pristine = describe(Object.prototype);

/** What `Object.prototype` has now that it had not, or has no more; empty if it is unchanged. */
export function pollution(): string[] {
  const now = describe(Object.prototype);
  return [...now].filter((line) => !pristine.has(line)).concat([...pristine].filter((line) => !now.has(line)));
}

function describe(object: object): Set<string> {
  return new Set(
    Reflect.ownKeys(object).map((name) => {
      const { value, get, set, ...rest } = Object.getOwnPropertyDescriptor(object, name) ?? {};
      return `${String(name)} ${JSON.stringify(rest)} ${[value, get, set].map((part) => String(part)).join(' ')}`;
    }),
  );
}
