import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable, printableText } from '../../../cli/terminal/printable.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const unsafe = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

test('1,000 hostile labels become one safe line of bounded length (S11)', () => {
  const hostile = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\u001b[2J', '\u001b]0;title\u0007', '\u009b31m', '\r\n', '\u202e', '\udcff', '\ud800'),
    ),
  );
  fc.assert(
    fc.property(hostile, (parts) => {
      const line = printable(parts.join(''), 50);
      expect(line).not.toMatch(unsafe);
      expect(line.isWellFormed()).toBe(true);
      expect(Array.from(line).length).toBeLessThanOrEqual(50);
    }),
    { numRuns: 1_000 },
  );
});

test('text of many lines keeps its lines and tabs, and nothing else that steers a terminal (S11)', () => {
  expect(printableText('a\r\n\tb\u001b[31m\u0007c\u009bd\n')).toBe('a\n\tb[31mcd\n');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(printableText(text).replaceAll(/[\n\t]/g, '')).not.toMatch(unsafe);
    }),
  );
});

test.each([
  ['src\u001b[31m', 'src[31m'],
  ['two\nlines', 'two lines'],
  ['\udcff\udc80', '\\xff\\x80'],
  ['  padded  ', 'padded'],
  ['x'.repeat(60), `${'x'.repeat(49)}…`],
])('%j is shown as %j', (text, shown) => {
  expect(printable(text, 50)).toBe(shown);
});
