import { expect, test } from 'vitest';
import { makeFolder } from '../support/folders.ts';
import { toolsOf } from '../support/tools.ts';

test('a listing counts the files below each directory and leaves out what is not read', async () => {
  const folder = makeFolder({ 'b/c/d': '', 'b/e': '', 'a/': '', 'f.ts': '', '.git/x': '', 'b/node_modules/y': '' });
  expect(await toolsOf(folder)('list_directory', { path: '.' })).toEqual({
    path: '.',
    directories: [
      { name: 'a', filesBelow: 0 },
      { name: 'b', filesBelow: 2 },
    ],
    files: ['f.ts'],
    others: [],
    omitted: { directories: 0, files: 0, others: 0 },
    skipped: ['.git'],
  });
});

test('a listing is bounded and says what it left out', async () => {
  const folder = makeFolder(Object.fromEntries(Array.from({ length: 305 }, (_, index) => [`file-${index}`, ''])));
  const listing = (await toolsOf(folder)('list_directory', { path: '.' })) as { files: string[]; omitted: { files: number } };
  expect([listing.files.length, listing.omitted.files]).toEqual([300, 5]);
});

test('a file is read by lines', async () => {
  const folder = makeFolder({ a: 'one\ntwo\nthree\nfour' });
  const call = toolsOf(folder);
  expect(await call('read_file', { path: 'a', first_line: 2, lines_max: 2 })).toEqual({
    path: 'a',
    bytes: 18,
    firstLine: 2,
    text: 'two\nthree',
    isCut: true,
  });
  expect(await call('read_file', { path: 'a' })).toMatchObject({ text: 'one\ntwo\nthree\nfour', isCut: false });
});

test('one read gives at most 32,768 characters and says that it was cut', async () => {
  const read = (await toolsOf(makeFolder({ a: 'x'.repeat(100_000) }))('read_file', { path: 'a' })) as {
    text: string;
    isCut: boolean;
  };
  expect([read.text.length, read.isCut]).toEqual([32_768, true]);
});

test.each([
  ['read_file', { path: 'sub' }, 'no regular file'],
  ['read_file', { path: 'a.bin' }, 'binary, 2 bytes'],
  ['read_file', { path: 'a.txt', first_line: 0 }, 'whole one from 1'],
  ['list_directory', { path: 'a.txt' }, 'no directory'],
])('%s of %j is refused: %s', async (tool, input, reason) => {
  await expect(toolsOf(makeFolder({ 'sub/x': '', 'a.bin': Uint8Array.of(0, 0), 'a.txt': '' }))(tool, input)).rejects.toThrow(
    reason,
  );
});
