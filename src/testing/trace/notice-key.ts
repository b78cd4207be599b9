/** The epoch in the key of a notice, `<child id>:<epoch>`; undefined if it is no key of that child. */
export function keyOf(key: string, child: string): number | undefined {
  if (!key.startsWith(`${child}:`)) return undefined;
  const digits = key.slice(child.length + 1);
  return /^[1-9][0-9]{0,14}$/.test(digits) ? Number(digits) : undefined;
}
