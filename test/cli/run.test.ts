/** `troupe run` on real folders, as a process; its totals are compared with what find and wc say there. */
import { chmodSync, chownSync, cpSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Files, makeFolder, makePipe, shell, sizeByFindAndWc } from './support/folders.ts';
import { findCommandOf, liveAgentsIn, repository, runProgram, totalsOf } from './support/program.ts';

const patienceMs = 60_000;

const small: Files = {
  'README.md': '# Small\n\nA folder for tests.\n',
  'package.json': '{"name":"small","description":"Nothing much"}',
  'src/index.ts':
    "/** The way in. */\nimport { readFileSync } from 'node:fs';\nimport { b } from './b.ts';\nexport const a = 1; // TODO: two\n",
  'src/b.ts': 'export function b() {}\n// FIXME later\n',
  'docs/guide.md': '# Guide\n\nRead this.\n',
  'data/x.bin': Uint8Array.of(0, 10, 10, 1),
  'empty/': '',
  'node_modules/pkg/index.js': 'left out\n',
  '.git/config': 'left out\n',
};

describe('troupe run', { timeout: patienceMs }, () => {
  test('reports on a small folder: what each part is, sizes by type, largest files, marks, imports and exports (S1, S8.1)', async () => {
    const folder = makeFolder(small);
    const { code, stdout, stderr } = await runProgram(['run', folder]);
    expect(code).toBe(0);
    expect(totalsOf(stdout)).toEqual(sizeByFindAndWc(folder, findCommandOf(stdout)));
    expect(stdout).toContain('surveyed by 4 agents, 3 parts');
    for (const line of [
      '| `src` | 2 | 6 | 158 | 2 | TypeScript. index.ts: “The way in”. |',
      '| `docs` | 1 | 3 | 20 | 0 | Markdown. |',
      '  - `src/b.ts:2` `// FIXME later`',
      '  - `src/index.ts:4` `export const a = 1; // TODO: two`',
      '- Imports: `node:fs` (1); 1 between its own files',
      '- Exports (2): `b`, `a`',
      'README.md: “Small — A folder for tests”. package.json: “small — Nothing much”.',
      '  - `data/x.bin` 4 bytes, 2 lines',
    ]) {
      expect(stdout).toContain(line);
    }
    expect(stderr).toMatch(/^ {2}started watch for changes\n {2}started data\n {2}started docs\n {2}started src\n/);
    expect(stderr).toMatch(/ {2}completed src: 1 turn, [\d,]+ tokens, \d+\.\d s\n/);
  });

  test('adds nothing to the folder but .troupe, readable by its owner alone, and leaves that out of the next report', async () => {
    const folder = makeFolder(small);
    const before = shell(folder, 'find . -type f -exec cksum {} + | sort');
    const first = await runProgram(['run'], { cwd: folder });
    expect(shell(folder, 'find . -name .troupe -prune -o -type f -exec cksum {} + | sort')).toBe(before);
    expect(shell(folder, 'stat -c "%a" .troupe .troupe/sessions.db')).toBe('700\n600\n');
    const second = await runProgram(['run'], { cwd: folder });
    expect(totalsOf(second.stdout)).toEqual(totalsOf(first.stdout));
  });

  test('gives another report for another folder, and the same for the same', async () => {
    const [one, other] = [makeFolder({ 'a/x.py': 'import os\n' }), makeFolder({ 'b/y.go': 'package y\n' })];
    const reports = await Promise.all([one, one, other].map(async (folder) => (await runProgram(['run', folder])).stdout));
    expect(reports[0]).toBe(reports[1]);
    expect(reports[0]).toContain('Python');
    expect(reports[2]).not.toContain('Python');
  });

  test('an agent that watches the folder is steered while it runs, and interrupted when all is counted (S3.2, S4.1)', async () => {
    const folder = makeFolder(Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((part) => [`${part}/file.ts`, 'one\n'])));
    const { code, stdout, stderr } = await runProgram(['run', folder]);
    expect(code).toBe(0);
    expect(stdout).toContain('No change was seen in the folder while it was surveyed.');
    const about = stderr.split('\n').filter((line) => line.includes('watch for changes'));
    expect(about).toEqual([
      '  started watch for changes',
      '  steered watch for changes: These parts have been counted: ["a","b","c"]',
      '  steered watch for changes: All parts have been counted. Look once more, and answer.',
      '  interrupted watch for changes',
      expect.stringMatching(/^ {2}completed watch for changes: 2 turns, .*, steered 2 times$/),
    ]);
  });

  test('answers a question by rules, and says that they are rules', async () => {
    const folder = makeFolder({ 'src/store.ts': 'the epoch is a fence\n', 'src/other.ts': 'an epoch\n' });
    const { stdout } = await runProgram(['run', folder, 'Where is the epoch fence?']);
    expect(stdout).toContain('> Where is the epoch fence?');
    expect(stdout).toContain('rule based');
    expect(stdout).toContain('- Looked for `epoch`, `fence`: 2 lines in 2 files (`epoch` 2 lines, `fence` 1 line).');
    expect(stdout).toContain('  - `src/store.ts:1` 2 of 2 words, 1 line: `the epoch is a fence`');
  });

  test('a question without a word to look for is answered by what the survey knows', async () => {
    const folder = makeFolder(small);
    for (const question of ['What is in this repository?', 'How does it work?']) {
      const { stdout } = await runProgram(['run', folder, question]);
      const answer = stdout.slice(stdout.indexOf('## The question'), stdout.indexOf('## Parts'));
      expect(answer).toContain('- TypeScript, ');
      expect(answer).toContain('README.md: “Small — A folder for tests”.');
      expect(answer).toContain('- 6 files, ');
      expect(answer).toContain('  - `src` 2 files, 6 lines, 158 bytes — index.ts: “The way in”.');
    }
  });

  test('whole words decide; what is inside words counts where no part has one', async () => {
    const folder = makeFolder({ 'a/x.ts': 'the lease\n', 'b/y.ts': 'release\n'.repeat(9), 'z.ts': 'leased\n' });
    const whole = await runProgram(['run', folder, 'lease?']);
    expect(whole.stdout).toContain('- Looked for `lease`: 1 line in 1 file.');
    expect(whole.stdout).not.toContain('`b/y.ts:1`');
    const inside = await runProgram(['run', folder, 'eleas?']);
    expect(inside.stdout).toContain('- Looked for `eleas`: nowhere as a whole word; inside words 9 lines in 1 file.');
    expect(inside.stdout).toContain('  - `b/y.ts:1` 9 lines: `release`');
  });

  test('with --json it prints one object that holds the report and what it cost', async () => {
    const folder = makeFolder(small);
    const { code, stdout } = await runProgram(['run', '--json', folder]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      model: 'troupe/rules',
      stopReason: 'completed',
      agents: 5,
      turns: expect.any(Number),
      report: expect.stringContaining('# Survey'),
    });
  });

  test('of 3,000 files in 200 folders the totals are those of find and wc, and never more than 8 agents live (S1.13)', async () => {
    const folder = makeFolder(manyFiles(200, 3_000));
    const { code, stdout, stderr, durationMs } = await runProgram(['run', folder]);
    expect(code).toBe(0);
    expect(totalsOf(stdout)).toEqual(sizeByFindAndWc(folder, findCommandOf(stdout)));
    expect(totalsOf(stdout).files).toBe(3_000);
    expect(stdout).toContain(
      `- TODO and FIXME marks: ${Number(shell(folder, 'grep -rwE "TODO|FIXME" --exclude-dir=.troupe . | wc -l')).toLocaleString('en-US')}\n`,
    );
    expect(liveAgentsIn(stderr).most).toBeLessThanOrEqual(8);
    expect(durationMs).toBeLessThan(20_000);
  });

  test('a part with many files is divided among grandchildren, within 8 live agents and 3 levels (S1.12, S1.13)', async () => {
    const folder = makeFolder({ ...manyFiles(10, 450, 'src/'), ...manyFiles(10, 450, 'lib/') });
    const { code, stdout, stderr } = await runProgram(['run', folder]);
    expect(code).toBe(0);
    expect(totalsOf(stdout)).toEqual(sizeByFindAndWc(folder, findCommandOf(stdout)));
    const { most, deepest } = liveAgentsIn(stderr);
    expect(deepest).toBe(2);
    expect(most).toBeGreaterThan(2);
    expect(most).toBeLessThanOrEqual(8);
  });

  test('names of any kind are counted, shown harmlessly, and can name a part', async () => {
    const folder = makeFolder({
      'new\nline/a b': 'x\n',
      '`tick|bar`\u001b[31m/f.md': '# <b>\u001b[31m | `x`\n',
      "-rf/'q'": 'y\n',
      'é/ü.ts': '',
    });
    shell(folder, 'mkdir "$(printf \'d\\377\')" && echo z > "$(printf \'d\\377/g\\376\')"');
    symlinkSync('/etc', join(folder, 'out'));
    makePipe(join(folder, 'pipe'));
    const { code, stdout, stderr } = await runProgram(['run', folder]);
    expect(code).toBe(0);
    expect(totalsOf(stdout)).toEqual(sizeByFindAndWc(folder, findCommandOf(stdout)));
    expect(stdout).toContain('`d\\xff`');
    expect(stdout).toContain('`out` to `an absolute path`');
    expect(stdout).toContain('`pipe` pipe');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
  });

  test.each([
    ['nothing', {}],
    ['only a folder', { 'a/b/': '' }],
    ['one empty file', { a: '' }],
  ] as [string, Files][])('a folder that holds %s has a report', async (_, files) => {
    const folder = makeFolder(files);
    const { code, stdout } = await runProgram(['run', folder]);
    expect(code).toBe(0);
    expect(totalsOf(stdout)).toEqual(sizeByFindAndWc(folder, findCommandOf(stdout)));
  });

  test('what may not be read is named, counted as a file, and stops nothing', async () => {
    const folder = makeFolder({
      'a/open.txt': 'one\n',
      'a/closed.txt': 'secret TODO\n',
      'closed/inner.txt': 'secret\n',
      'b/file.ts': 'two\n',
    });
    giveAway(folder);
    chmodSync(join(folder, 'a/closed.txt'), 0o000);
    chmodSync(join(folder, 'closed'), 0o000);
    const { code, stdout, stderr } = await runUnprivileged(folder);
    chmodSync(join(folder, 'closed'), 0o700);
    expect(stderr).toContain('completed a');
    expect(code).toBe(0);
    expect(totalsOf(stdout)).toEqual({ files: 3, lines: 2, bytes: 8 });
    expect(stdout).toContain('`a/closed.txt` permission denied');
    expect(stdout).toContain('`closed` permission denied');
    expect(stdout).not.toContain('secret');
  });

  test('this repository is surveyed in well under 20 s, and its totals are those of find and wc', async () => {
    const copy = makeFolder();
    for (const name of readdirSync(repository).filter(
      (name) => !['.git', '.troupe', 'node_modules', 'dist', 'coverage'].includes(name),
    )) {
      cpSync(join(repository, name), join(copy, name), { recursive: true });
    }
    const { code, stdout, durationMs } = await runProgram(['run', copy]);
    expect(code).toBe(0);
    expect(totalsOf(stdout)).toEqual(sizeByFindAndWc(copy, findCommandOf(stdout)));
    for (const part of ['cli', 'src', 'test']) expect(stdout).toContain(`### \`${part}\``);
    expect(durationMs).toBeLessThan(20_000);
  });
});

describe('troupe run, when it cannot', { timeout: patienceMs }, () => {
  test('a folder that may not be read exits with 4', async () => {
    const folder = makeFolder({ a: '' });
    chmodSync(folder, 0o000);
    const { code, stderr } = await runUnprivileged(folder);
    chmodSync(folder, 0o700);
    expect([code, stderr]).toEqual([4, `troupe: the folder ${folder} cannot be read\n`]);
  });

  test('a folder in which nothing may be made exits with 9', async () => {
    const folder = makeFolder({ a: '' });
    chmodSync(folder, 0o555);
    const { code, stderr } = await runUnprivileged(folder);
    expect([code, stderr]).toEqual([
      9,
      'troupe: the folder cannot be surveyed: its sessions are kept in .troupe, which cannot be made there: EACCES\n',
    ]);
    expect(existsSync(join(folder, '.troupe'))).toBe(false);
  });
});

function runUnprivileged(folder: string) {
  return runProgram([folder], { cwd: '/', entry: join(import.meta.dirname, 'support', 'unprivileged.ts') });
}

/** To the user that the unprivileged program runs as. */
function giveAway(folder: string): void {
  if (process.getuid?.() !== 0) return;
  for (const path of [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))]) {
    chownSync(path, 65_534, 65_534);
  }
}

/** Contents differ by size, type, marks and imports, the same in each run. */
function manyFiles(folders: number, files: number, prefix = ''): Files {
  const types = ['.ts', '.py', '.md', '.json', '', '.Go'];
  const made: Record<string, string> = {};
  for (let index = 0; index < files; index++) {
    const folder = `${prefix}folder-${index % folders}${index % 7 === 0 ? '/below' : ''}`;
    const lines = Array.from({ length: index % 40 }, (_, line) =>
      line % 9 === 3 ? '# TODO later' : `import x${line} from 'package-${line % 4}';`,
    );
    made[`${folder}/file-${index}${types[index % types.length]}`] = lines.join('\n');
  }
  return made;
}
