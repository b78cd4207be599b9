import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Found } from '../../../cli/workspace/search.ts';
import { makeFolder, shell } from '../support/folders.ts';
import { toolsOf } from '../support/tools.ts';

async function found(
  folder: string,
  input: { words: string[]; paths?: string[]; whole_word?: boolean; case_sensitive?: boolean; matches_max?: number },
): Promise<Found> {
  return (await toolsOf(folder)('search_text', { paths: ['.'], ...input })) as unknown as Found;
}

const line = fc
  .array(fc.constantFrom('TODO', 'todo', 'FIXME', 'TODOS', 'x_TODO', 'TODO1', ' ', '(', ':', '/', 'word', '.'), { maxLength: 8 })
  .map((parts) => parts.join(''));
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));

test('marks are counted as grep -w counts them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 5 }), async (texts) => {
      const folder = makeFolder(Object.fromEntries(texts.map((content, index) => [`file-${index}`, content])));
      const { lines } = await found(folder, { words: ['TODO', 'FIXME'], whole_word: true, case_sensitive: true });
      expect(lines.count).toBe(Number(shell(folder, 'grep -rwE "TODO|FIXME" . | wc -l')));
    }),
    { numRuns: 40 },
  );
});

test('a match says file, line and text, in the order of paths', async () => {
  const folder = makeFolder({ 'b.ts': 'x\n  // TODO: second  thing\n', 'a/z.ts': '// FIXME first' });
  const { lines, files } = await found(folder, { words: ['TODO', 'FIXME'], whole_word: true, case_sensitive: true });
  expect(files).toBe(2);
  expect(lines.first).toEqual([
    { path: 'a/z.ts', line: 1, text: '// FIXME first' },
    { path: 'b.ts', line: 2, text: '// TODO: second thing' },
  ]);
});

test('all lines are counted when only some are returned', async () => {
  const folder = makeFolder({ a: 'word\n'.repeat(50) });
  const { lines } = await found(folder, { words: ['word'], matches_max: 3 });
  expect([lines.count, lines.first.length]).toEqual([50, 3]);
});

test('files with more of the words come before files with more lines, each with its fullest line', async () => {
  const folder = makeFolder({ one: 'epoch\n'.repeat(9), both: 'epoch\nthe epoch is a fence\n', 'fence.txt': '' });
  const { best, byWord, names } = await found(folder, { words: ['Epoch', 'fence'] });
  expect(best).toEqual([
    { path: 'both', words: 2, lines: 2, line: 2, text: 'the epoch is a fence' },
    { path: 'one', words: 1, lines: 9, line: 1, text: 'epoch' },
  ]);
  expect(byWord).toEqual([
    { word: 'Epoch', lines: 11 },
    { word: 'fence', lines: 1 },
  ]);
  expect(names).toEqual({ count: 1, first: ['fence.txt'] });
});

test('a word is plain text: what would be a pattern matches itself', async () => {
  const folder = makeFolder({ a: 'a+b\naab\n(.*)\n' });
  expect((await found(folder, { words: ['a+b', '(.*)'] })).lines.count).toBe(2);
});

test('what is not searched is counted by its reason', async () => {
  const folder = makeFolder({ 'a.bin': Uint8Array.of(0, 1), large: 'word\n'.repeat(900_000), 'c.txt': 'word\n' });
  expect(await found(folder, { words: ['word'] })).toMatchObject({
    files: 1,
    notSearched: { binary: 1, tooLarge: 1, unreadable: 0 },
  });
});

test('a match far out in a long line is shown with what is around it', async () => {
  const folder = makeFolder({ a: `${'x'.repeat(100_000)} needle ${'y'.repeat(100_000)}` });
  const [match] = (await found(folder, { words: ['needle'] })).lines.first;
  expect(match?.text).toContain('needle');
  expect(match?.text.length).toBeLessThanOrEqual(160);
});

test.each([[[]], [['']], [['  ']], [['a\nb']], [['x'.repeat(201)]], [Array.from({ length: 17 }, (_, index) => `w${index}`)]])(
  'the words %j are refused',
  async (words) => {
    await expect(found(makeFolder(), { words })).rejects.toThrow(/word/);
  },
);
