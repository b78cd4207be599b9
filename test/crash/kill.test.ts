/**
 * A real process is killed at every operation of its store, and another goes on with what it left (R8, R1, R2, R4, S10.1).
 * TROUPE_NIGHTLY=1 kills before each operation as well as behind it.
 */
import { mkdirSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { suiteFolder } from '../sessions/temp-folder.ts';
import { noteFigure } from '../support/figures.ts';
import { problemsOf } from './checks.ts';
import { countOperations, type Fate, type KillPoint, killAt } from './kill.ts';

const moments = process.env.TROUPE_NIGHTLY === '1' ? (['after', 'before'] as const) : (['after'] as const);
/** Fewer would mean that the scenario has lost a part. */
const operationsMin = 270;

describe('a process that is killed at an operation of its store', () => {
  const folder = suiteFolder('quick');
  let operations: number;
  let fates: Fate[];

  beforeAll(async () => {
    const whole = await countOperations(`${folder}/whole`);
    operations = whole.operations;
    expect(whole.faults, 'faults of a run that nobody kills').toEqual([]);
    mkdirSync(`${folder}/killed`);
    const points = moments.flatMap((moment) =>
      Array.from({ length: operations }, (_, at): KillPoint => ({ at: at + 1, moment })),
    );
    fates = await killAt(points, `${folder}/killed`);
  }, 900_000);

  test('leaves, at every one of some 300 operations, what the next process can go on with (R8)', () => {
    noteFigure('killPoints', fates.length);
    noteFigure('killOperations', operations);
    noteFigure('killsWithoutRescue', fates.filter((fate) => 'failure' in fate).length);
    expect(operations).toBeGreaterThan(operationsMin);
    expect(fates.length).toBe(operations * moments.length);
    expect(fates.flatMap((fate) => ('failure' in fate ? [`${describePoint(fate.point)}: ${fate.failure}`] : []))).toEqual([]);
  });

  test('loses and doubles no accepted message and no notice, and leaves no turn open and no child unlisted (R1, R2, R4, P13, P15, P20)', () => {
    const problems = fates.flatMap((fate) =>
      'failure' in fate ? [] : problemsOf(fate.aftermath).map((problem) => `${describePoint(fate.point)}: ${problem}`),
    );
    noteFigure('killProblems', problems.length);
    expect(problems).toEqual([]);
  });

  test('dies where it can hurt: in between there is work to resume, ends to tell and starts to take back', () => {
    const reports = fates.flatMap((fate) => ('failure' in fate ? [] : [fate.aftermath.report]));
    const howOften = (what: 'resumed' | 'told' | 'removed') => reports.filter((report) => report[what].length > 0).length;
    expect(howOften('resumed')).toBeGreaterThan(operations / 4);
    expect(howOften('told')).toBeGreaterThan(10);
    expect(howOften('removed')).toBeGreaterThan(0);
  });
});

function describePoint({ at, moment }: KillPoint): string {
  return `killed ${moment} operation ${at}`;
}
