/** Each way to fail is one clear line on standard error and an exit code of its own, never a stack. */
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { versionFault } from '../../cli/node-version.ts';
import { addFiles, makeFolder, shell } from './support/folders.ts';
import { type Outcome, programPath, runProgram } from './support/program.ts';

function expectFailure({ code, stdout, stderr }: Outcome, exit: number, message: string): void {
  expect(stderr).toMatch(/^troupe: [^\n]+\n$/);
  expect(stderr).toContain(message);
  expect(stderr).not.toMatch(/\bat \S+:\d+/);
  expect([code, stdout]).toEqual([exit, '']);
}

describe('troupe', { timeout: 60_000 }, () => {
  test('a command line that is not understood exits with 2', async () => {
    expectFailure(await runProgram([]), 2, 'say what to do');
    expectFailure(await runProgram(['run', '--fast']), 2, "Unknown option '--fast'");
  });

  test('a missing folder exits with 3, and so does a file', async () => {
    const folder = makeFolder({ file: '' });
    expectFailure(await runProgram(['run', join(folder, 'missing')]), 3, 'there is no folder');
    expectFailure(await runProgram(['run', join(folder, 'file')]), 3, 'is no folder');
    const asked = await runProgram(['run', 'What is this?'], { cwd: folder });
    expectFailure(asked, 3, 'there is no folder What is this?; to ask about this folder: run . "What is this?"');
    expectFailure(await runProgram(['ls', '--dir', join(folder, 'missing')]), 3, 'there is no folder');
  });

  test('an unknown model exits with 5, before anything is made in the folder', async () => {
    const folder = makeFolder({ file: '' });
    expectFailure(await runProgram(['run', folder, '--model', 'nobody/nothing']), 5, 'npm install @ai-sdk/nobody');
    expectFailure(await runProgram(['run', folder], { env: { TROUPE_MODEL: 'nonsense' } }), 2, 'provider/name');
    expect(shell(folder, 'ls -A')).toBe('file\n');
  });

  test.each([
    ['rubbish', 'this is no database'.repeat(1_000)],
    ['an empty file', ''],
    ['some other SQLite database', undefined],
  ])('a session database that is %s exits with 7, for every command', async (_, content) => {
    const folder = makeFolder({ file: 'x' });
    if (content === undefined) {
      mkdirSync(join(folder, '.troupe'));
      const other = new DatabaseSync(join(folder, '.troupe/sessions.db'));
      other.exec('create table something (a)');
      other.close();
    } else addFiles(folder, { '.troupe/sessions.db': content });
    const before = shell(folder, 'cksum .troupe/sessions.db');
    for (const args of [
      ['run', folder],
      ['ls', '--dir', folder],
      ['show', 'abc', '--dir', folder],
      ['check', '--dir', folder],
      ['send', 'abc', 'x', '--dir', folder],
    ]) {
      expectFailure(await runProgram(args), 7, 'sessions.db');
    }
    expect(shell(folder, 'cksum .troupe/sessions.db')).toBe(before);
  });

  test('a session database whose middle was cut out exits with 7', async () => {
    const folder = makeFolder({ 'a/file': 'x' });
    expect((await runProgram(['run', folder])).code).toBe(0);
    truncateSync(join(folder, '.troupe/sessions.db'), 8_192);
    expectFailure(await runProgram(['run', folder]), 7, 'sessions.db');
  });

  test('a session database that another process holds exits with 6', async () => {
    const folder = makeFolder({ file: 'x' });
    expect((await runProgram(['run', folder])).code).toBe(0);
    const holder = new DatabaseSync(join(folder, '.troupe/sessions.db'));
    try {
      holder.exec('pragma locking_mode = exclusive; begin exclusive');
      expectFailure(await runProgram(['run', folder]), 6, 'held by somebody else');
    } finally {
      holder.close();
    }
    expect((await runProgram(['run', folder])).code).toBe(0);
  });

  test('a .troupe that leads elsewhere exits with 9, and nothing is written there', async () => {
    const [folder, elsewhere] = [makeFolder({ file: 'x' }), makeFolder()];
    symlinkSync(elsewhere, join(folder, '.troupe'));
    expectFailure(await runProgram(['run', folder]), 9, 'no folder of its own');
    expect(shell(elsewhere, 'ls -A')).toBe('');
  });

  test('a reader that goes away gets no complaint (EPIPE)', async () => {
    const folder = makeFolder(
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`part-${index}/file-${index}.ts`, '// TODO\n'.repeat(40)])),
    );
    const said = shell(
      folder,
      `( '${process.execPath}' '${programPath}' run . 2> errors; echo "code $?" >> errors ) | head -c 10; cat errors`,
    );
    expect(said.slice(0, 10)).toBe('# Survey\n\n');
    expect(said).not.toMatch(/EPIPE|Error|\bat \S+:\d+/);
    expect(said).toContain('code 0');
  });

  test('a report that cannot be written exits with 1', async () => {
    const folder = makeFolder({ 'a/file': 'x' });
    expect((await runProgram(['run', folder])).code).toBe(0);
    for (const args of ['run', 'ls', 'help']) {
      const said = shell(
        folder,
        `'${process.execPath}' '${programPath}' ${args} 2> errors > /dev/full; echo "code $?"; cat errors`,
      );
      expect(said).toMatch(/^code 1\n/);
      expect(said.match(/^troupe: .*$/gm)).toEqual(['troupe: standard output cannot be written: ENOSPC']);
    }
  });

  test('a Node that is too old is told so', () => {
    const wanted = 'troupe needs Node 22.13 or later, this is';
    for (const version of ['20.20.2', '22.12.0', '18.0.0']) expect(versionFault(version)).toBe(`${wanted} ${version}\n`);
    for (const version of ['22.13.0', '23.0.0', '24.21.0-nightly']) expect(versionFault(version)).toBeUndefined();
  });

  test('help and version go to standard output and exit with 0', async () => {
    const help = await runProgram(['--help']);
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toMatch(/troupe run[\s\S]+Exit codes[\s\S]+130 {2}interrupted/);
    expect((await runProgram(['--version'])).stdout).toMatch(/^troupe \d+\.\d+\.\d+\n$/);
  });
});
