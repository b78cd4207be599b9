/** The disk is full, or a commit fails, at every write of the scenario (R9). */
import { beforeAll, describe, expect, test } from 'vitest';
import { noteFigure } from '../support/figures.ts';
import { afterBadDisk, countWrites, type Ordeal } from './bad-disk.ts';
import { problemsOf } from './checks.ts';
import type { Failure } from './failing-store.ts';

let writes: number;

beforeAll(async () => {
  writes = await countWrites();
});

describe.each<readonly [Failure, readonly string[]]>([
  ['full once', ['STORE_FULL']],
  ['full', ['STORE_FULL']],
  ['failed, not written', ['OUTCOME_UNKNOWN', 'STORE_FAILED']],
  ['failed, written', ['OUTCOME_UNKNOWN', 'STORE_FAILED']],
])('a disk that is %s, at every write', (failure, codes) => {
  let ordeals: readonly (Ordeal & { readonly at: number })[];

  beforeAll(async () => {
    const all: (Ordeal & { at: number })[] = [];
    for (let at = 1; at <= writes; at++) all.push({ at, ...(await afterBadDisk({ at, failure })) });
    ordeals = all;
  }, 120_000);

  test('refuses with a code of its own, or ends the agents that waited for it', () => {
    const others = ordeals.filter(({ refusal }) => ![...codes, 'stalled', 'none', ...lateCodes].includes(refusal));
    expect(others.map(({ at, refusal }) => `write ${at}: ${refusal}`)).toEqual([]);
    expect(ordeals.some(({ refusal }) => refusal === codes[0])).toBe(true);
  });

  test('keeps the runtime from nothing: it closes within its bounds', () => {
    const hanging = ordeals.filter(({ closing }) => closing !== 'closed' && closing !== 'ACTIVATION_TEARDOWN_FAILED');
    expect(hanging.map(({ at, closing }) => `write ${at}: ${closing}`)).toEqual([]);
  });

  test('is not asked again to write what it may have written', () => {
    const again = ordeals.filter(({ retried }) => retried > 0).map(({ at }) => `write ${at}`);
    noteFigure('writesRetried', again.length);
    expect(again).toEqual([]);
  });

  test('has lost and doubled nothing when the next process recovers', () => {
    const problems = ordeals.flatMap((ordeal) => problemsOf(ordeal).map((problem) => `write ${ordeal.at}: ${problem}`));
    noteFigure('badWrites', ordeals.length);
    noteFigure('badWriteProblems', problems.length);
    expect(problems).toEqual([]);
  });
});

/** What one is told who comes when the agent he wants has been ended by the failure. */
const lateCodes = ['ACTIVATION_CLOSING', 'PARENT_UNAVAILABLE', 'UNAUTHORIZED'];
