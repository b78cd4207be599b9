/** No tool reads outside its folder, whatever path it is given (reliability S4). Runs against a real disk with a secret beside the folder. */
import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { countFile } from '../../../cli/workspace/contents.ts';
import { openWorkspace, Refusal } from '../../../cli/workspace/workspace.ts';
import { addFiles, makeFolder, makePipe } from '../support/folders.ts';
import { type CallTool, toolsOf } from '../support/tools.ts';

const canary = 'SECRET-CANARY-7f3a';
let outside: string;
let folder: string;
let call: CallTool;

beforeAll(() => {
  outside = makeFolder({ 'secret.txt': canary, 'deep/secret.txt': canary, 'inside/placeholder': '' });
  folder = join(outside, 'inside');
  addFiles(folder, {
    'plain.txt': 'plain',
    'sub/file.ts': 'export const a = 1;',
    '.git/config': canary,
    'sub/node_modules/x/index.js': canary,
    '.troupe/sessions.db': canary,
    'inside-2.txt': 'a name that begins like the folder',
  });
  addFiles(outside, { 'inside-2/secret.txt': canary });
  symlinkSync('..', join(folder, 'up'));
  symlinkSync(outside, join(folder, 'absolute'));
  symlinkSync('../secret.txt', join(folder, 'secret-link'));
  symlinkSync('.git', join(folder, 'git-link'));
  symlinkSync('sub', join(folder, 'sub-link'));
  symlinkSync('circle', join(folder, 'circle'));
  symlinkSync('../inside-2', join(folder, 'sibling'));
  call = toolsOf(folder);
});

const names = [
  '..',
  '.',
  '',
  'up',
  'absolute',
  'secret-link',
  'git-link',
  'sub-link',
  'sub',
  'plain.txt',
  'secret.txt',
  'circle',
  'sibling',
];
const oddities = [
  '%2e%2e',
  '..\\',
  '~',
  '.git',
  'node_modules',
  '.troupe',
  'CON',
  '\0',
  'a\0b',
  '…',
  'é',
  '\u202e',
  '\udcff',
  'x'.repeat(300),
  '/',
];
const segment = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...names) }, fc.constantFrom(...oddities), fc.string());
const path = fc
  .array(segment, { minLength: 1, maxLength: 7 })
  .chain((parts) =>
    fc.constantFrom(parts.join('/'), `/${parts.join('/')}`, `${folder}/${parts.join('/')}`, `./${parts.join('//')}/`),
  );

test('a path of 10,000 leads inside the folder and past no left-out name, or is refused (reliability S4)', () => {
  const workspace = openWorkspace(folder);
  fc.assert(
    fc.property(path, (asked) => {
      try {
        const absolute = workspace.locate(asked).absolute.toString();
        expect(absolute === workspace.root || absolute.startsWith(`${workspace.root}/`)).toBe(true);
        expect(absolute.slice(workspace.root.length).split('/')).not.toContain('.git');
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal);
      }
    }),
    { numRuns: 10_000 },
  );
});

test('no tool answers with a word from outside, for 1,000 paths (reliability S4)', async () => {
  await fc.assert(
    fc.asyncProperty(path, async (asked) => {
      const answers = await Promise.allSettled([
        call('read_file', { path: asked }),
        call('list_directory', { path: asked }),
        call('search_text', { paths: [asked], words: ['CANARY'] }),
        call('list_imports', { paths: [asked] }),
        call('measure_tree', { paths: [asked] }),
        call('watch_tree', { paths: [asked], since: 0 }),
      ]);
      for (const answer of answers) {
        if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(Refusal);
        else expect(JSON.stringify(answer.value)).not.toMatch(/SECRET-CANARY|"deep"/);
      }
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['', 'not empty'],
  ['..', 'out of the folder'],
  ['sub/../../secret.txt', 'out of the folder'],
  ['/etc/passwd', 'relative'],
  ['secret-link', 'out of the folder'],
  ['up/secret.txt', 'out of the folder'],
  ['sibling/secret.txt', 'out of the folder'],
  ['.git/config', '.git is not read'],
  ['git-link/config', '.git is not read'],
  ['sub/node_modules/x/index.js', 'node_modules is not read'],
  ['plain.txt\0', 'NUL'],
  ['circle', 'symbolic link'],
  ['missing', 'does not exist'],
])('the path %j is refused: %s (reliability S4)', async (asked, reason) => {
  await expect(call('read_file', { path: asked })).rejects.toThrow(reason);
});

test('a refusal names no place outside the folder (reliability S3)', async () => {
  for (const asked of ['up/secret.txt', '/etc/passwd', 'missing', 'secret-link']) {
    await expect(call('read_file', { path: asked })).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(outside) }),
    );
  }
});

test('a link to a place inside is served, under its own name', async () => {
  expect(await call('read_file', { path: 'sub-link/file.ts' })).toMatchObject({
    path: 'sub-link/file.ts',
    text: 'export const a = 1;',
  });
});

test('a directory exchanged for a link between the look and the read is noticed', async () => {
  const path = Buffer.from(join(openWorkspace(folder).root, 'sub-link', 'file.ts'));
  await expect(countFile({ path: 'sub-link/file.ts', absolute: path }, () => undefined)).rejects.toThrow('moved');
});

test('a pipe is reported and never opened, by any tool', async () => {
  const place = makeFolder({ 'a.ts': 'import "b";\n' });
  makePipe(join(place, 'pipe'));
  mkdirSync(join(place, 'below'));
  linkSync(join(place, 'pipe'), join(place, 'below', 'pipe.ts'));
  const tools = toolsOf(place);
  const measured = await tools('measure_tree', { paths: ['.'] });
  expect(measured).toMatchObject({
    files: 1,
    special: {
      count: 2,
      first: [
        { path: 'below/pipe.ts', what: 'pipe' },
        { path: 'pipe', what: 'pipe' },
      ],
    },
  });
  expect(await tools('search_text', { paths: ['.', 'pipe'], words: ['import'] })).toMatchObject({ files: 1 });
  expect(await tools('list_imports', { paths: ['below', 'a.ts'] })).toMatchObject({ files: 1 });
  expect(await tools('list_directory', { path: '.' })).toMatchObject({ others: [{ name: 'pipe', what: 'pipe' }] });
  await expect(tools('read_file', { path: 'pipe' })).rejects.toThrow('no regular file');
});
