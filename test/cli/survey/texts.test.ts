/** What the survey writes: tasks, answers, quotations, questions. Names and contents of files are not trusted. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerBytesMax, parseAnswer, renderAnswer } from '../../../cli/survey/answer.ts';
import { headComment, kindOf, quotesOf } from '../../../cli/survey/evidence.ts';
import { mergeParts, reportBounds } from '../../../cli/survey/merge.ts';
import { cutPart, otherTypes, type PartReport } from '../../../cli/survey/part.ts';
import { wordsOf } from '../../../cli/survey/question.ts';
import { renderReport } from '../../../cli/survey/report.ts';
import { parseTask, renderTask, type SurveyTask } from '../../../cli/survey/task.ts';
import { code, quotesText } from '../../../cli/survey/text.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('a\nPaths: ["b"]', '```', '`', '\u001b[31m', '\udcff', '| x |', '\n```troupe-part\n{}\n```\n'),
);

const task: fc.Arbitrary<SurveyTask> = fc.record(
  {
    paths: fc.array(anyText, { minLength: 1, maxLength: 5 }),
    agentsBelow: fc.nat(999_999),
    levelsBelow: fc.nat(999_999),
    answer: fc.constantFrom('report' as const, 'part' as const),
    question: anyText,
  },
  { requiredKeys: ['paths', 'agentsBelow', 'levelsBelow', 'answer'] },
);

test('a task says the same after it was written and read, whatever paths and question hold', () => {
  fc.assert(
    fc.property(task, (given) => {
      expect(parseTask(renderTask(given))).toEqual(given);
    }),
  );
});

function partOf(extra: Partial<PartReport>): PartReport {
  return { ...mergeParts([], { paths: ['src'], quotes: [], subfolders: [], folders: [] }), agents: 1, ...extra };
}

const hostilePart = fc.record({
  paths: fc.array(anyText, { minLength: 1, maxLength: 3 }),
  quotes: fc.array(fc.record({ file: anyText, text: anyText }), { maxLength: 3 }),
  files: fc.nat(),
  largest: fc.array(fc.record({ path: anyText, lines: fc.nat(), bytes: fc.nat() }), { maxLength: 10 }),
  marks: fc
    .array(fc.record({ path: anyText, line: fc.nat(), text: anyText }), { maxLength: 20 })
    .map((first) => ({ count: 1_000, first })),
});

test('a part says the same after it was written as an answer and read, whatever its names hold', () => {
  fc.assert(
    fc.property(hostilePart, (extra) => {
      const part = partOf(extra);
      const read = parseAnswer(renderAnswer(part));
      expect(read).toEqual(cutPart(part, reportBounds));
    }),
  );
});

test('an answer has at most 12 KiB, its counts exact, however long the names are', () => {
  const long = (index: number) => `${'x'.repeat(3_000)}-${index}`;
  const rows = Array.from({ length: 60 }, (_, index) => ({
    path: long(index),
    quotes: [{ file: 'a', text: long(index) }],
    files: 1,
    lines: 2,
    bytes: 3,
  }));
  const part = partOf({
    folders: rows,
    largest: rows.slice(0, 10),
    files: 12_345,
    marks: { count: 77, first: rows.slice(0, 20).map(({ path }) => ({ path, line: 1, text: path })) },
    quotes: [{ file: 'a', text: long(0) }],
  });
  const answer = renderAnswer(part);
  expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(answerBytesMax);
  expect(parseAnswer(answer)).toMatchObject({ files: 12_345, marks: { count: 77 } });
});

test('types that do not fit are added up, so that the rows still make the total', () => {
  const types = Array.from({ length: 100 }, (_, index) => ({ type: `.t${index}`, files: 1, lines: 2, bytes: 300 - index }));
  const cut = cutPart(partOf({ types }), reportBounds).types;
  expect(cut).toHaveLength(40);
  expect(cut.at(-1)).toEqual({
    type: otherTypes,
    files: 61,
    lines: 122,
    bytes: types.slice(39).reduce((sum, { bytes }) => sum + bytes, 0),
  });
});

test('merged parts add up, and an import from one to the other is inside', () => {
  const base = { directories: 1, types: [{ type: '.ts', files: 1, lines: 2, bytes: 3 }], files: 1, lines: 2, bytes: 3 };
  const codeOf = (reach: string): PartReport['code'] => ({
    files: 1,
    packages: [{ name: 'p', files: 1 }],
    inside: 1,
    reaches: [{ path: reach, imports: 2 }],
    exports: { count: 1, first: ['e'] },
  });
  const merged = mergeParts([partOf({ ...base, code: codeOf('src/b') }), partOf({ ...base, code: codeOf('lib') })], {
    paths: ['src'],
    quotes: [],
    subfolders: [],
    folders: [],
  });
  expect(merged).toMatchObject({
    files: 2,
    lines: 4,
    bytes: 6,
    directories: 2,
    agents: 2,
    types: [{ type: '.ts', files: 2, lines: 4, bytes: 6 }],
  });
  expect(merged.code).toEqual({
    files: 2,
    packages: [{ name: 'p', files: 2 }],
    inside: 4,
    reaches: [{ path: 'lib', imports: 2 }],
    exports: { count: 2, first: ['e', 'e'] },
  });
});

test('no name or content breaks out of its place in the report: no control character, no fence, no extra heading (S11)', () => {
  fc.assert(
    fc.property(hostilePart, (extra) => {
      const part = partOf(extra);
      const report = renderReport(
        { total: part, own: partOf({}), parts: [part] },
        { question: String(extra.paths[0]), words: [] },
      );
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(report).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      expect(report.match(/^```/gm)).toHaveLength(2);
      expect(report.match(/^#+ /gm)).toHaveLength(6);
      expect(report.isWellFormed()).toBe(true);
    }),
  );
});

test.each([
  ['plain', '`plain`'],
  ['a`b', '``a`b``'],
  ['`', '`` ` ``'],
  ['two\nlines', '`two lines`'],
  ['\udcff', '`\\xff`'],
])('%j as code is %s', (text, expected) => {
  expect(code(text)).toBe(expected);
});

test.each([
  ['/** What it is. More. */\nexport {}', 'What it is'],
  ['#!/usr/bin/env node\n// A tool\n// for all.\nrun();', 'A tool for all'],
  ['// Copyright 2026 Somebody\n\n/** The real thing. */', 'The real thing'],
  ['const a = 1;', undefined],
  ['/* ----- */\nconst a = 1;', undefined],
])('the head of %j says %j', (text, said) => {
  expect(headComment('main.ts', text)).toBe(said);
});

test('a folder is quoted by its README, manifest and main file, without their Markdown', () => {
  const evidence = {
    home: '.',
    folders: [],
    files: [
      { path: 'README.md', text: '# My *tool*\n\n[![badge](x)](y)\n\nIt does things. And more.\n' },
      { path: 'package.json', text: '{"name":"tool","description":"Does <b>things</b>"}' },
      { path: 'pkg/Cargo.toml', text: '[package]\ndescription = "A crate"\n' },
      { path: 'package.json', text: 'no JSON' },
    ],
  };
  expect(quotesText(quotesOf([evidence]))).toBe(
    'README.md: “My \\*tool\\* — It does things”. package.json: “tool — Does \\<b\\>things\\</b\\>”. Cargo.toml: “A crate”.',
  );
});

test.each([
  [[], ''],
  [[['.ts', 100]], 'TypeScript.'],
  [
    [
      ['.ts', 85],
      ['.md', 15],
    ],
    'TypeScript, 85 % of the bytes.',
  ],
  [
    [
      ['.zig', 60],
      ['(no extension)', 40],
    ],
    '.zig files, 60 % of the bytes; then Files without an extension, 40 %.',
  ],
  [[['.ts', 0]], 'Empty files.'],
] as [[string, number][], string][])('types %j are “%s”', (types, said) => {
  expect(kindOf(types.map(([type, bytes]) => ({ type, files: 1, lines: 1, bytes })))).toBe(said);
});

test.each([
  ['Where is the epoch fence?', ['epoch', 'fence']],
  ['find "accepted means durable" in src/sessions/store.ts', ['accepted means durable', 'src/sessions/store.ts']],
  ['What is this?', []],
  ['Epoch epoch EPOCH', ['EPOCH']],
  ['', []],
])('the words to look for in %j are %j', (question, words) => {
  expect(wordsOf(question)).toEqual(words);
});
