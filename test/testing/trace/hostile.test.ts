/** Logs are other people's data: whatever they hold, they are judged and nothing is thrown (S7). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeProblem } from '../../../src/testing/trace/check.ts';
import { traceProblems } from '../../../src/testing/trace/problems.ts';
import { isSame } from '../../../src/testing/trace/same.ts';
import type { RecordedSession } from '../../../src/testing/trace/trace.ts';
import { Draft } from './draft.ts';
import { recordTree } from './recorded-tree.ts';

const json = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom<unknown>(undefined, null, Number.NaN, -1, '', [], {}, [null], ' '),
);

function judge(sessions: unknown): void {
  for (const problem of traceProblems(sessions as readonly RecordedSession[], { expects: 'settled' }))
    expect(typeof describeProblem(problem)).toBe('string');
}

test('sessions of anything at all are judged', () => {
  judge([
    undefined,
    null,
    5,
    {},
    { header: null, events: null },
    { header: {}, events: 'x' },
    { events: [null, undefined, 5, {}] },
  ]);
  fc.assert(fc.property(fc.array(fc.record({ header: json, events: fc.oneof(json, fc.array(json)) }), { maxLength: 4 }), judge), {
    numRuns: 500,
  });
});

test('a recorded tree is judged in which any value anywhere is any other', async () => {
  const { byLabel } = await recordTree();
  const labels = Object.keys(byLabel);
  const spoil = fc.record({
    label: fc.constantFrom(...labels),
    path: fc.array(fc.nat(), { minLength: 1, maxLength: 7 }),
    value: json,
  });
  fc.assert(
    fc.property(fc.array(spoil, { minLength: 1, maxLength: 4 }), (spoils) => {
      const draft = new Draft(byLabel);
      for (const { label, path, value } of spoils) replace(draft.session(label), path, value);
      judge(draft.sessions);
    }),
    { numRuns: 500 },
  );
}, 60_000);

/** Each number picks one of the keys that there are; where there are none the value is put. */
function replace(root: object, path: readonly number[], value: unknown): void {
  let holder = root as Record<string, unknown>;
  for (const [depth, pick] of path.entries()) {
    const keys = Object.keys(holder);
    const key = keys[pick % keys.length];
    if (key === undefined) return;
    const below = holder[key];
    if (depth === path.length - 1 || typeof below !== 'object' || below === null) {
      holder[key] = value;
      return;
    }
    holder = below as Record<string, unknown>;
  }
}

test('values are compared however deep they are', () => {
  const deep = (end: string) => `${'{"a":['.repeat(3_000)}"${end}"${']}'.repeat(3_000)}`;
  expect(isSame(JSON.parse(deep('x')), JSON.parse(deep('x')))).toBe(true);
  expect(isSame(JSON.parse(deep('x')), JSON.parse(deep('y')))).toBe(false);
  expect(isSame({ a: 1, b: undefined }, { a: 1 })).toBe(true);
  expect(isSame(JSON.parse('{"__proto__":1}'), {})).toBe(false);
  expect(isSame([], {})).toBe(false);
});
