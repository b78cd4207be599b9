/** Makes a run that fails smaller, as long as it goes on failing. */

/**
 * Leaves out what is not needed for the failure: first large parts, then ever smaller ones (Zeller and Hildebrandt, "Simplifying
 * and isolating failure-inducing input", 2002). Resolves with what is left, in order. `fails` is asked at most `triesMax` times.
 */
export async function shrinkList<Value>(
  whole: readonly Value[],
  fails: (kept: readonly Value[]) => Promise<boolean>,
  triesMax = 200,
): Promise<readonly Value[]> {
  let kept = whole;
  let tries = 0;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length && tries < triesMax; ) {
      const less = [...kept.slice(0, at), ...kept.slice(at + size)];
      tries++;
      if (await fails(less)) kept = less;
      else at += size;
    }
  }
  return kept;
}
