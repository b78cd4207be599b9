/** Whether two JSON values say the same: the order of keys does not count, and an absent field is one that is undefined. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [first, second] = [one as Readonly<Record<string, unknown>>, other as Readonly<Record<string, unknown>>];
  const keys = Object.keys(first);
  return (
    keys.every((key) => isSame(first[key], Object.hasOwn(second, key) ? second[key] : undefined)) &&
    Object.keys(second).every((key) => Object.hasOwn(first, key) || second[key] === undefined)
  );
}
