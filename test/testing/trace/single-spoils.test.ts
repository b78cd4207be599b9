/**
 * Whatever is done to one event of a correct trace is reported, or the contract leaves it open by a reason that is named
 * (R18). A failure of the random test names its seed and what was done.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { traceProblems } from '../../../src/testing/trace/problems.ts';
import type { RecordedSession } from '../../../src/testing/trace/trace.ts';
import { noteFigure } from '../../support/figures.ts';
import { Draft } from './draft.ts';
import { reasons, reasonsFor } from './harmless.ts';
import { recordLife } from './random-life.ts';
import { recordTree } from './recorded-tree.ts';
import { type Change, pathsIn, type Single, spoil } from './single.ts';

type Recorded = Readonly<Record<string, RecordedSession>>;

const runs = Number(process.env.TROUPE_RUNS ?? 3_000);

/** Undefined if it is no spoil. Else whether it is reported, and why it need not be. */
function judge(recorded: Recorded, single: Single): { isReported: boolean; reasons: string[] } | undefined {
  const draft = spoil(new Draft(recorded), single);
  const session = recorded[single.label];
  if (draft === undefined || session === undefined) return undefined;
  const isReported = traceProblems(draft.sessions, { expects: 'settled' }).length > 0;
  return { isReported, reasons: reasonsFor(single, session) };
}

function singlesOf(label: string, event: unknown, place: number): Single[] {
  const whole = (['drop', 'double', 'swap'] as const).map((change) => ({ label, place, change, path: [] }));
  const values = pathsIn(event).flatMap((path) =>
    (['alter', 'delete'] as const).map((change) => ({ label, place, change, path })),
  );
  return [...whole, ...values];
}

test('every spoil of one event of the recorded tree is reported or harmless, and no reason is there for nothing', async () => {
  const { byLabel } = await recordTree();
  const unexplained: string[] = [];
  const used = new Set<string>();
  let reported = 0;
  for (const [label, { events }] of Object.entries(byLabel)) {
    for (const single of events.flatMap((event, place) => singlesOf(label, event, place))) {
      const verdict = judge(byLabel, single);
      if (verdict === undefined) continue;
      if (verdict.isReported) reported++;
      else if (verdict.reasons.length === 0) unexplained.push(describe(single, byLabel));
      else for (const reason of verdict.reasons) used.add(reason);
    }
  }
  expect(unexplained).toEqual([]);
  expect(Object.keys(reasons).filter((reason) => !used.has(reason))).toEqual([]);
  expect(reported).toBeGreaterThan(1_900);
  noteFigure('traceSpoils', reported);
}, 60_000);

test(`and so is every spoil of one event of random lives, over ${runs} of them (P27, R18)`, async () => {
  const lives = await Promise.all(Array.from({ length: 30 }, async (_, index) => (await recordLife(index + 1)).sessions));
  const change = fc.constantFrom<Change>('drop', 'double', 'swap', 'alter', 'delete');
  const spoils = fc.record({ seed: fc.integer({ min: 1, max: lives.length }), pick: fc.nat(), change, value: fc.nat() });
  fc.assert(
    fc.property(spoils, ({ seed, pick, change: kind, value }) => {
      const life = lives[seed - 1] ?? {};
      const places = Object.entries(life).flatMap(([label, { events }]) =>
        events.map((event, place) => ({ label, place, event })),
      );
      const { label, place, event } = places[pick % places.length] as (typeof places)[number];
      const paths = pathsIn(event);
      const isWhole = kind !== 'alter' && kind !== 'delete';
      const single = { label, place, change: kind, path: isWhole ? [] : (paths[value % paths.length] ?? []) };
      const verdict = judge(life, single);
      if (verdict !== undefined && !verdict.isReported && verdict.reasons.length === 0)
        throw new Error(`nobody reports: ${describe(single, life)}`);
    }),
    { numRuns: runs },
  );
}, 120_000);

function describe({ label, place, change, path }: Single, recorded: Recorded): string {
  const events = recorded[label]?.events ?? [];
  const what = change === 'swap' ? ` with ${events[place + 1]?.type}` : ` ${path.join('.')}`;
  return `${change} ${events[place]?.type}${what}, ${label}#${place}`;
}
