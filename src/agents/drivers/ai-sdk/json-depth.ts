/** `JSON.stringify` overflows the stack near 7,000 levels and `structuredClone` near 4,000 (measured); real data has a dozen. */
export const levelsMax = 256;

/** Whether parsed JSON holds arrays or objects nested more than `levels` deep. For trees only: it does not notice a cycle. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}
