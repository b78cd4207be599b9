/**
 * Whether two JSON values say the same, however deep they are: the order of keys does not count, and an absent field is one that
 * is undefined.
 */
export function isSame(one: unknown, other: unknown): boolean {
  const pairs: [unknown, unknown][] = [[one, other]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [first, second] = pair;
    if (Object.is(first, second)) continue;
    if (!isObject(first) || !isObject(second) || Array.isArray(first) !== Array.isArray(second)) return false;
    for (const key of new Set([...Object.keys(first), ...Object.keys(second)])) pairs.push([own(first, key), own(second, key)]);
  }
  return true;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function own(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
