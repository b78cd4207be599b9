/** A correct trace is found correct, and no way to spoil it goes unseen (R18). */
import { describe, expect, test } from 'vitest';
import { traceProblems } from '../../../src/testing/trace/problems.ts';
import { type TraceRuleName, traceRules } from '../../../src/testing/trace/rules.ts';
import { noteFigure } from '../../support/figures.ts';
import { Draft } from './draft.ts';
import type { Mutation } from './mutations/mutation.ts';
import { mutations } from './mutations.ts';
import { recordTree } from './recorded-tree.ts';

const recorded = recordTree();

async function brokenBy({ isSettled, spoil }: Pick<Mutation, 'isSettled' | 'spoil'>): Promise<TraceRuleName[]> {
  const draft = new Draft((await recorded).byLabel);
  spoil(draft);
  const problems = traceProblems(draft.sessions, isSettled ? { expects: 'settled' } : {});
  return [...new Set(problems.map(({ rule }) => rule))].toSorted();
}

test('a recorded tree with a crash in it breaks no rule, also when everything is to be at rest', async () => {
  expect(await brokenBy({ isSettled: true, spoil: () => undefined })).toEqual([]);
});

test('nor does a log of it that was cut anywhere, as a crash would cut it', async () => {
  const { byLabel } = await recorded;
  for (const [label, { header, events }] of Object.entries(byLabel)) {
    if (header.parentSession === undefined) continue; // what its children are would be wrong, not only what it is
    for (let length = header.inheritedEvents; length <= events.length; length++) {
      const found = await brokenBy({ spoil: (draft) => draft.cut(label, length) });
      const told: readonly TraceRuleName[] = ['notice-key', 'notice-caller', 'notice-mark']; // its parent heard what is cut away
      expect(
        found.filter((rule) => !told.includes(rule)),
        `${label} cut at ${length}`,
      ).toEqual([]);
    }
  }
});

describe('it is reported, and under no other rule than it must be, when', () => {
  test.each(Object.entries(mutations))('%s', async (_, mutation) => {
    expect(await brokenBy(mutation)).toEqual([mutation.rule, ...(mutation.also ?? [])].toSorted());
    noteFigure('traceSpoils', 1);
  });
});

test('every rule that needs no store is the only one to report some mutation', () => {
  const alone = new Set(Object.values(mutations).flatMap(({ rule, also }) => (also === undefined ? [rule] : [])));
  const judged = Object.entries(traceRules).flatMap(([name, { holds }]) => (holds === 'store' ? [] : [name]));
  expect(judged.filter((name) => !alone.has(name as TraceRuleName))).toEqual([]);
});

test('a rule is not asked that the options leave out, and what is to be at rest is not asked of a crash', async () => {
  const draft = new Draft((await recorded).byLabel);
  draft.double('worker', 'turn/ended');
  draft.drop('waited', 'activation/ended');
  expect(traceProblems(draft.sessions, { except: ['one-turn'] })).toEqual([]);
  expect(traceProblems(draft.sessions, { except: ['one-turn'], expects: 'settled' })).toHaveLength(1);
});
