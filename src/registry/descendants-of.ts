import type { Residency } from '../actors/residency.ts';

/** Everything in memory below and including `roots`, parents first. A loop: recursion overflows at some 500 levels. */
export function descendantsOf(roots: Iterable<Residency>): Residency[] {
  const all = new Set(roots);
  for (const residency of all) for (const child of residency.children) all.add(child);
  return [...all];
}
