import { chmodSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Measured } from '../../../cli/workspace/measure.ts';
import { findCommand } from '../../../cli/workspace/workspace.ts';
import { addFiles, makeFolder, shell, sizeByFindAndWc } from '../support/folders.ts';
import { toolsOf } from '../support/tools.ts';

async function measured(
  folder: string,
  input: { paths?: string[]; scope?: string; largest_max?: number } = {},
): Promise<Measured> {
  return (await toolsOf(folder)('measure_tree', { paths: ['.'], ...input })) as unknown as Measured;
}

const content = fc.oneof(fc.string(), fc.constantFrom('', '\n', 'a\nb\n', 'no newline'), fc.uint8Array({ maxLength: 300 }));
const name = fc.constantFrom('a', 'b.ts', 'C.TS', 'd.tar.gz', '.hidden', 'e f.md', '-n', 'new\nline', 'é', 'x.', '*', "'q'");
const tree = fc.dictionary(
  fc
    .array(name, { minLength: 1, maxLength: 4 })
    .map((parts) => parts.map((part, depth) => (depth < parts.length - 1 ? `${part}-dir` : part)).join('/')),
  content,
  { maxKeys: 25 },
);

test('files, lines and bytes of any tree are what find and wc say', async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (files) => {
      const folder = makeFolder(files);
      addFiles(folder, {
        'node_modules/x/a.js': 'left out\n',
        'a-dir/.git/config': 'left out\n',
        '.troupe/sessions.db': 'left out\n',
      });
      const { files: count, lines, bytes, types, byPath } = await measured(folder);
      expect({ files: count, lines, bytes }).toEqual(sizeByFindAndWc(folder, findCommand));
      for (const key of ['files', 'lines', 'bytes'] as const)
        expect(types.reduce((sum, row) => sum + row[key], 0)).toBe({ files: count, lines, bytes }[key]);
      expect(byPath).toEqual([{ path: '.', files: count, lines, bytes }]);
    }),
    { numRuns: 40 },
  );
});

test('a name that is no UTF-8 is counted, shown, and found again by the name that was shown', async () => {
  const folder = makeFolder();
  const directory = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x64, 0xff])]);
  shell(folder, `mkdir "$(printf 'd\\377')"`);
  writeFileSync(Buffer.concat([directory, Buffer.from('/f')]), 'one\n');
  const tools = toolsOf(folder);
  expect(await measured(folder)).toMatchObject({ files: 1, lines: 1, directories: 1 });
  const listing = (await tools('list_directory', { path: '.' })) as { directories: { name: string }[] };
  const shown = JSON.parse(JSON.stringify(listing.directories[0]?.name)) as string;
  expect(await tools('read_file', { path: `${shown}/f` })).toMatchObject({ text: 'one\n' });
});

test('the largest files come first, as many as asked for', async () => {
  const folder = makeFolder({ a: 'x', b: 'xxx', 'c/d': 'xx', e: 'xxxx' });
  const { largest } = await measured(folder, { largest_max: 3 });
  expect(largest.map(({ path, bytes }) => [path, bytes])).toEqual([
    ['e', 4],
    ['b', 3],
    ['c/d', 2],
  ]);
});

test('scope direct leaves out what lies below', async () => {
  const folder = makeFolder({ 'a.ts': '1\n', 'b/c.ts': '2\n' });
  expect(await measured(folder, { scope: 'direct' })).toMatchObject({ files: 1, directories: 1 });
});

test('paths that repeat or contain each other are counted once', async () => {
  const folder = makeFolder({ 'a/b/c.ts': '1\n', 'a/d.ts': '2\n', 'ab/e.ts': '3\n' });
  expect(await measured(folder, { paths: ['a', 'a/b', './a/', 'ab', 'a/b/c.ts'] })).toMatchObject({
    files: 3,
    byPath: [
      { path: 'a', files: 2 },
      { path: 'ab', files: 1 },
    ],
  });
});

test('symbolic links are listed with where they lead, and neither followed nor counted', async () => {
  const folder = makeFolder({ 'a/file': '1\n' });
  symlinkSync('a', join(folder, 'inside'));
  symlinkSync('/etc', join(folder, 'absolute'));
  symlinkSync('../..', join(folder, 'a', 'up'));
  symlinkSync('nowhere', join(folder, 'broken'));
  const { files, symlinks } = await measured(folder);
  expect(files).toBe(1);
  expect(symlinks).toEqual({
    count: 4,
    first: [
      { path: 'a/up', target: 'outside the folder' },
      { path: 'absolute', target: 'an absolute path' },
      { path: 'broken', target: 'nowhere' },
      { path: 'inside', target: 'a' },
    ],
  });
});

test('a sparse file of a gigabyte is measured without reading it, and said to be uncounted', async () => {
  const folder = makeFolder({ big: '', 'small.txt': 'a\n' });
  truncateSync(join(folder, 'big'), 2 ** 30);
  const started = performance.now();
  expect(await measured(folder)).toMatchObject({
    files: 2,
    lines: 1,
    bytes: 2 ** 30 + 2,
    uncounted: { count: 1, first: [{ path: 'big', bytes: 2 ** 30 }] },
  });
  expect(performance.now() - started).toBeLessThan(5_000);
});

test('binary files are told apart by a NUL near their start', async () => {
  const folder = makeFolder({ 'a.bin': Uint8Array.of(1, 0, 2, 10), 'b.txt': 'text\n', late: `${'x'.repeat(9_000)}\0` });
  expect(await measured(folder)).toMatchObject({ files: 3, lines: 2, binaryFiles: 1 });
});

test('odd extensions share one type, so that names cannot flood the table', async () => {
  const folder = makeFolder({ 'a.ts': '', 'b.TS': '', 'c.a b': '', [`d.${'x'.repeat(40)}`]: '', '.env': '', Makefile: '' });
  const { types } = await measured(folder);
  expect(Object.fromEntries(types.map(({ type, files }) => [type, files]))).toEqual({
    '.ts': 2,
    '(odd extension)': 2,
    '(no extension)': 2,
  });
});

test('a path that has gone is unreadable, and the others are still measured', async () => {
  const folder = makeFolder({ 'a/b': 'x\n' });
  expect(await measured(folder, { paths: ['a', 'gone'] })).toMatchObject({
    files: 1,
    unreadable: { count: 1, first: [{ path: 'gone', reason: 'it does not exist' }] },
  });
});

test('an aborted call stops with the reason of its signal', async () => {
  const folder = makeFolder({ a: 'x' });
  await expect(toolsOf(folder)('measure_tree', { paths: ['.'] }, AbortSignal.abort(new Error('enough')))).rejects.toThrow(
    'enough',
  );
});

test.each([
  [{}],
  [{ paths: [] }],
  [{ paths: ['.'], scope: 'some' }],
  [{ paths: ['.'], largest_max: 0 }],
  [{ paths: 'a' }],
  ['.'],
  [null],
])('the input %j is refused', async (input) => {
  await expect(toolsOf(makeFolder())('measure_tree', input)).rejects.toThrow();
});

test('a folder is closed to writing: the tools change nothing', async () => {
  const folder = makeFolder({ 'a.ts': 'import "b";\n', 'b/c.md': '# c\n' });
  const before = shell(folder, 'find . -printf "%p %s %T@\\n" | sort');
  chmodSync(join(folder, 'a.ts'), 0o444);
  const tools = toolsOf(folder);
  await tools('measure_tree', { paths: ['.'] });
  await tools('search_text', { paths: ['.'], words: ['c'] });
  await tools('list_imports', { paths: ['.'] });
  await tools('list_directory', { path: '.' });
  await tools('read_file', { path: 'a.ts' });
  expect(shell(folder, 'find . -printf "%p %s %T@\\n" | sort')).toBe(before);
});
