/**
 * How much is fuzzed, and how a failure is played again. `npm test` takes few cases; `TROUPE_NIGHTLY=1` takes many, and
 * `TROUPE_EVERY_OFFSET=1` damages files at each of their bytes. Every case comes from one seed, `TROUPE_SEED` or the one below, so
 * that a run is the same twice.
 */
import fc from 'fast-check';
import { noteFigure } from '../support/figures.ts';

const isNightly = process.env.TROUPE_NIGHTLY === '1';
const isEveryOffset = process.env.TROUPE_EVERY_OFFSET === '1';

/** Changes nothing about what is checked; another number tries other cases. */
export const seed = Number(process.env.TROUPE_SEED ?? 20_261_201);

export function cases(few: number, nightly: number): number {
  return isNightly ? nightly : few;
}

/** A test's time in milliseconds: what it needs on a busy core, or all night. */
export function patience(ms: number): { readonly timeout: number } {
  return { timeout: isNightly || isEveryOffset ? 3_600_000 : ms };
}

/** Characters of a case that failed: some are very large. */
const reportMax = 3_000;

/** What the cases of a suite are counted as on the page of guarantees. */
export type Figure = 'hostileValues' | 'fuzzedIds' | 'hostileNames' | 'toolInputs' | 'badAnswers';

/** Runs a property on that many cases, and counts them. What fails is shrunk, and told with the command that plays it again. */
export async function holds<Values extends [unknown, ...unknown[]]>(
  property: fc.IAsyncProperty<Values>,
  numRuns: number,
  figure: Figure,
): Promise<void> {
  const path = process.env.TROUPE_PATH;
  await fc.assert(property, {
    ...{ seed, numRuns, ...(path !== undefined && { path }) },
    asyncReporter: async (details) => {
      noteFigure(figure, details.numRuns);
      if (!details.failed) return;
      const cause = details.errorInstance;
      const told = (text: string) => (text.length > reportMax ? `${text.slice(0, reportMax)}…` : text);
      const report = `${told(fc.defaultReportMessage(details) ?? '')}\n${told(String((cause as Error | null)?.message ?? cause))}`;
      throw new Error(`${report}\nreplay: ${replay(details.counterexamplePath)}`, { cause });
    },
  });
}

/** The command that runs the same cases, or one of them, again. */
export function replay(path?: string | null): string {
  const nightly = isNightly ? 'TROUPE_NIGHTLY=1 ' : '';
  const one = path === undefined || path === null ? '' : `TROUPE_PATH=${path} `;
  return `${nightly}TROUPE_SEED=${seed} ${one}npx vitest run test/fuzz -t '<the name of this test>'`;
}

/** Numbers from 0 up to 1, the same for the same seed and stream (mulberry32). */
export function randomNumbers(stream: number): () => number {
  let state = (seed * 31 + stream) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `count` of the numbers below `size`, spread over all of them, in order; all if there are no more. */
export function spread(size: number, count: number, random: () => number): number[] {
  if (count >= size || isEveryOffset) return Array.from({ length: size }, (_, index) => index);
  return Array.from({ length: count }, (_, index) => Math.floor(((index + random()) * size) / count));
}
