/** The power goes at every operation, and what was not synced is lost or torn (R1, R2, R18, S10.1). */
import { beforeAll, describe, expect, test } from 'vitest';
import { noteFigure } from '../support/figures.ts';
import { problemsOf } from './checks.ts';
import { afterPowerCuts, countDiskOperations, type PowerCuts } from './power-cut.ts';

/** Fewer would mean that the scenario has lost a part. */
const operationsMin = 270;
let operations: number;

beforeAll(async () => {
  operations = await countDiskOperations();
});

/** Everything that is wrong, with the cuts that bring it about. */
async function problemsAfter(all: readonly PowerCuts[]): Promise<string[]> {
  const problems: string[] = [];
  for (const given of all) {
    for (const problem of problemsOf(await afterPowerCuts(given))) problems.push(`${JSON.stringify(given.cuts)}: ${problem}`);
  }
  return problems;
}

async function expectNoProblems(all: readonly PowerCuts[]): Promise<void> {
  const problems = await problemsAfter(all);
  noteFigure('powerCutRuns', all.length);
  noteFigure('powerCutProblems', problems.length);
  expect(problems).toEqual([]);
}

function everyOperation(cut: (cutAt: number) => PowerCuts['cuts']): PowerCuts[] {
  return Array.from({ length: operations }, (_, index) => ({ cuts: cut(index + 1) }));
}

describe('after a power cut at every operation no accepted message and no notice is lost or doubled', () => {
  test.each([
    ['all unsynced writes are lost', 0],
    ['half of them are', 0.5],
    ['none of them is, and nobody was told of that', 1],
  ])(
    'when %s (R1, R2, P13, P15)',
    async (_, kept) => {
      expect(operations).toBeGreaterThan(operationsMin);
      await expectNoProblems(everyOperation((cutAt) => [{ cutAt, kept }]));
    },
    120_000,
  );

  test('when the power goes again while the next process recovers (R1, R2)', async () => {
    const twice = (cutAt: number) => [
      { cutAt, kept: cutAt % 2 },
      { cutAt: 1 + ((cutAt * 7) % 40), kept: (cutAt % 3) / 2 },
    ];
    await expectNoProblems(everyOperation(twice));
  }, 120_000);
});

test('a store that answers before the commit is caught: messages are lost that their senders were told of (R18)', async () => {
  const problems = await problemsAfter(everyOperation((cutAt) => [{ cutAt, answersEarly: true }]));
  expect(problems.filter((problem) => problem.includes('the accepted message')).length).toBeGreaterThan(10);
}, 120_000);
