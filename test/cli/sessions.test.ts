/** What a run leaves behind: listing it, showing it, and talking to its agents afterwards. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, test } from 'vitest';
import { type SessionHeader, toSessionId } from '../../src/index.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { addFiles, makeFolder } from './support/folders.ts';
import { runProgram } from './support/program.ts';

let folder: string;
/** The lines of `ls --tree`, by what they end with. */
let ids: Map<string, string>;

beforeAll(async () => {
  const many = Array.from({ length: 12 }, (_, index) => [
    `src/mod-${index % 2}/file-${index}.ts`,
    `export const x${index} = 1; // TODO ${index}\n`,
  ]);
  const fill = Array.from({ length: 420 }, (_, index) => [`src/mod-${index % 2}/fill-${index}.txt`, '']);
  folder = makeFolder({ ...Object.fromEntries([...many, ...fill]), 'docs/guide.md': '# Guide\n\nThe epoch is a fence.\n' });
  expect((await runProgram(['run', '.', 'what is the epoch?'], { cwd: folder })).code).toBe(0);
  ids = await listedIds();
}, 60_000);

async function listedIds(): Promise<Map<string, string>> {
  const { stdout } = await runProgram(['ls', '--tree', '--dir', folder]);
  return new Map(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => [line.trim().split(/\s+/).at(-1) ?? '', line.split(' ')[0] ?? '']),
  );
}

function idOf(label: string): string {
  const id = ids.get(label);
  if (id === undefined) throw new Error(`${label} is not among ${[...ids.keys()].join(', ')}`);
  return id;
}

describe('troupe ls', { timeout: 60_000 }, () => {
  test('lists top-level sessions with time, state, children, folder and question', async () => {
    const { code, stdout } = await runProgram(['ls'], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^[a-z0-9]{26} {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}completed {4}3 children {4}\S+ “what is the epoch\?”\n$/,
    );
  });

  test('lists the whole tree, each child below its parent', async () => {
    const { stdout } = await runProgram(['ls', '--tree'], { cwd: folder });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^.*child(?:ren)? */, '')),
    ).toEqual([expect.stringContaining('what is the epoch?'), 'watch for changes', 'docs', 'src', 'src/mod-0', 'src/mod-1']);
    expect(stdout.match(/ completed /g)).toHaveLength(6);
  });

  test('where there are none it says so, and makes nothing', async () => {
    const empty = makeFolder({ a: '' });
    expect(await runProgram(['ls'], { cwd: empty })).toMatchObject({ code: 0, stdout: '', stderr: 'no sessions here yet\n' });
    expect(await runProgram(['show', 'abc'], { cwd: empty })).toMatchObject({ code: 8 });
    expect(() => sqliteStore({ path: join(empty, '.troupe', 'none', '\0') })).toThrow();
  });
});

describe('troupe ls, when it cannot look', { timeout: 60_000 }, () => {
  const ls = (place: string) => runProgram(['ls', '--dir', place]);

  test('a .troupe that is a file exits with 9, as does run', async () => {
    const place = makeFolder({ '.troupe': '' });
    const said = { code: 9, stdout: '', stderr: 'troupe: .troupe is no folder of its own\n' };
    expect(await ls(place)).toMatchObject(said);
    expect(await runProgram(['run', place])).toMatchObject(said);
  });

  test('a database that is gone while what lay beside it is there exits with 7', async () => {
    const place = makeFolder({ '.troupe/sessions.db-mark': 'x' });
    expect(await ls(place)).toMatchObject({
      code: 7,
      stdout: '',
      stderr: expect.stringMatching(/^troupe: [^\n]+ is gone[^\n]*\n$/),
    });
  });

  test('an empty .troupe holds no sessions', async () => {
    expect(await ls(makeFolder({ '.troupe/': '' }))).toMatchObject({ code: 0, stderr: 'no sessions here yet\n' });
  });
});

test('a session that was cut off before its first event is interrupted, unless a live process has it, and the next run passes over it', async () => {
  const place = makeFolder({ a: 'x' });
  const path = join(place, '.troupe/sessions.db');
  const store = sqliteStore({ path });
  const header: SessionHeader = {
    version: 1,
    id: toSessionId('a'.repeat(26)),
    createdAt: 1,
    cwd: place,
    project: place,
    delegationDepth: 0,
    isSeeded: false,
    inheritedEvents: 0,
  };
  await store.create(header, 'somebody', []);
  expect((await runProgram(['ls', '--dir', place])).stdout).toContain(' running ');
  await store.close();
  expect((await runProgram(['ls', '--dir', place])).stdout).toContain(' interrupted ');
  const again = sqliteStore({ path });
  const { epoch } = await again.claim(header.id, 'somebody');
  await again.append(header.id, { seq: 0, epoch }, [
    { type: 'activation/ended', time: 2, data: { runId: 'run', epoch, stopReason: 'error' } },
  ]);
  await again.close();
  expect((await runProgram(['ls', '--dir', place])).stdout).toContain(' interrupted ');
  const { code, stderr } = await runProgram(['run', place]);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('continuing')]);
  expect((await runProgram(['ls', '--dir', place])).stdout).toMatch(/ interrupted .*\n.* completed /);
}, 60_000);

describe('troupe show', { timeout: 60_000 }, () => {
  test('prints header, transcript with abbreviated calls, and result', async () => {
    const { code, stdout } = await runProgram(['show', idOf('docs')], { cwd: folder });
    expect(code).toBe(0);
    for (const pattern of [
      /^session {3}[a-z0-9]{26}\nlabel {5}docs\n/,
      /\nstate {5}completed\n/,
      /\ndepth {5}1\nparent {4}[a-z0-9]{26}\n/,
      /== user\nSurvey a part of the folder you work in\.\nPaths: \["docs"\]/,
      /→ measure_tree \{"paths":\["docs"\]/,
      /← read_file|← measure_tree \{"files":1/,
      /== result\nSurveyed `docs`: 1 file, 3 lines, 31 bytes/,
    ]) {
      expect(stdout).toMatch(pattern);
    }
  });

  test.each(['nobody', 'NOT AN ID', '../x', ''])('the unknown id %j exits with 8', async (id) => {
    const { code, stdout, stderr } = await runProgram(['show', id], { cwd: folder });
    expect([code, stdout]).toEqual([8, '']);
    expect(stderr).toMatch(/^troupe: no session has the id [^\n]*\n$/);
  });
});

describe('a damaged session', { timeout: 60_000 }, () => {
  test('is listed as damaged beside the others, and cannot be shown: exit 7', async () => {
    const place = makeFolder({ 'a/file': 'x' });
    await runProgram(['run', place]);
    await runProgram(['run', place]);
    const database = new DatabaseSync(join(place, '.troupe/sessions.db'));
    database.exec("update event set data = '{}' where no = (select max(no) from event)");
    database.close();
    const { code, stdout } = await runProgram(['ls', '--dir', place]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\S+ .* completed .*\n\S+ .* damaged .*\n$/);
    const damaged = stdout.split('\n')[1]?.split(' ')[0] ?? '';
    expect(await runProgram(['show', damaged, '--dir', place])).toMatchObject({
      code: 7,
      stdout: '',
      stderr: expect.stringMatching(/^troupe: [^\n]+\n$/),
    });
  });
});

describe('troupe send', { timeout: 60_000 }, () => {
  test('cold-resumes a settled child with the words of a person and prints its answer, from its part as it is now (S3.6, S3.7)', async () => {
    addFiles(folder, { 'docs/more.md': 'Another epoch.\n' });
    const { code, stdout } = await runProgram(['send', idOf('docs'), 'where is the epoch?'], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain('About `docs`, as it is now:');
    expect(stdout).toContain('- Looked for `epoch`: 2 lines in 2 files.');
    const shown = await runProgram(['show', idOf('docs')], { cwd: folder });
    expect(shown.stdout).toContain('== user\nwhere is the epoch?\n');
    expect(shown.stdout).toMatch(/== result\nAbout `docs`/);
    expect(shown.stdout).toMatch(/\nstate {5}completed\n/);
  });

  test('reaches a grandchild below a parent that has settled; those above hear of its end, and spend no model call on it (S3.7, S3.9)', async () => {
    const callsBefore = await modelCalls(idOf('src'));
    const { code, stdout } = await runProgram(['send', idOf('src/mod-1'), 'x11'], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain('  - `src/mod-1/file-11.ts:1` 1 line: `export const x11 = 1; // TODO 11`');
    expect(await modelCalls(idOf('src'))).toBe(callsBefore);
    expect((await listedIds()).size).toBe(ids.size);
    expect((await runProgram(['ls', '--tree'], { cwd: folder })).stdout.match(/ completed /g)).toHaveLength(6);
    const heard = (await runProgram(['show', idOf('src')], { cwd: folder })).stdout;
    expect(heard).toContain(`Notice from the runtime about subagent ${idOf('src/mod-1')}: src/mod-1 ended: completed`);
  });

  test('asks a top-level agent again', async () => {
    const root = [...ids.values()][0] ?? '';
    const { code, stdout } = await runProgram(['send', root, 'how many files?'], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain('434 files');
  });

  test('takes an interrupted survey up again, and does not repeat what its children had finished (S10.1)', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, index) => [`part-${index % 40}/file-${index}.ts`, 'one\n']),
    );
    const place = makeFolder(files);
    await runProgram(['run', place], {
      onStderr: (text, child) => {
        if (text.includes('started part-12')) child.kill('SIGKILL');
      },
    });
    const interrupted = (await runProgram(['ls', '--dir', place])).stdout;
    expect(interrupted).toContain(' interrupted ');
    const child = (await runProgram(['ls', '--tree', '--dir', place])).stdout.split('\n')[1]?.split(' ')[0] ?? '';
    expect(await runProgram(['send', child, 'one', '--dir', place])).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('"go on"'),
    });
    const { code, stdout } = await runProgram(['send', interrupted.split(' ')[0] ?? '', 'go on', '--dir', place]);
    expect(code).toBe(0);
    expect(stdout).toContain('**2,000 files, 2,000 lines, 8,000 bytes**');
    expect(stdout).toContain('> go on');
    const { stdout: tree } = await runProgram(['ls', '--tree', '--dir', place]);
    expect(tree.match(/ part-\d+\n/g)).toHaveLength(40);
  });

  test('an unknown id exits with 8', async () => {
    expect(await runProgram(['send', 'nobody', 'x'], { cwd: folder })).toMatchObject({ code: 8, stdout: '' });
  });

  test('an agent that another process holds exits with 6, and is left as it was', async () => {
    const store = sqliteStore({ path: join(folder, '.troupe/sessions.db') });
    try {
      const root = toSessionId([...ids.values()][0]);
      await store.claim(root, 'somebody-else');
      const { code, stderr } = await runProgram(['send', idOf('docs'), 'x'], { cwd: folder });
      expect([code, stderr.split('\n').length]).toEqual([6, 2]);
    } finally {
      await store.close();
    }
    expect((await runProgram(['send', idOf('docs'), 'epoch'], { cwd: folder })).code).toBe(0);
  });
});

async function modelCalls(id: string): Promise<number> {
  const store = sqliteStore({ path: join(folder, '.troupe/sessions.db') });
  try {
    return (await store.read(toSessionId(id))).filter(({ type }) => type === 'assistant/message').length;
  } finally {
    await store.close();
  }
}
