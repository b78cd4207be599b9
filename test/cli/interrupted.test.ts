/** A survey whose process was killed in the middle is finished by the next run, without doing again what was done. */
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { SessionEvent, SessionHead, SessionStore } from '../../src/index.ts';
import { toSessionId } from '../../src/index.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { addFiles, type Files, makeFolder } from './support/folders.ts';
import { runProgram } from './support/program.ts';

const killedAfter = join(import.meta.dirname, 'support', 'killed-after.ts');

const parts = Object.fromEntries(
  ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((part) =>
    [1, 2, 3].map((n) => [`${part}/x${n}.ts`, `import z from 'p${n}';\n// TODO ${part}${n}\nexport const v${n} = 1;\n`]),
  ),
);
/** One part of this is divided among grandchildren. */
const deep: Files = {
  ...Object.fromEntries(Array.from({ length: 405 }, (_, n) => [`big/m${n % 3}/f${n}.txt`, 'x\n'])),
  'a/b.ts': 'one\n',
  'README.md': '# Deep\n\nText.\n',
};

interface Place {
  readonly folder: string;
  /** What an undisturbed run prints. */
  readonly report: string;
}

async function undisturbed(files: Files, question: readonly string[]): Promise<Place> {
  const folder = makeFolder(files);
  const { code, stdout } = await runProgram(['run', '.', ...question], { cwd: folder });
  expect(code).toBe(0);
  return { folder, report: stdout };
}

/** A folder of its own with the same files, in which a run was killed in the instant of its n-th commit. */
async function killedIn({ folder }: Place, commits: number, question: readonly string[] = []): Promise<string> {
  const place = makeFolder();
  for (const name of readdirSync(folder).filter((entry) => entry !== '.troupe')) {
    cpSync(join(folder, name), join(place, name), { recursive: true });
  }
  const { code, stdout } = await runProgram([String(commits), 'run', '.', ...question], { cwd: place, entry: killedAfter });
  expect([code, stdout]).toEqual([null, '']);
  return place;
}

async function inStore<Value>(folder: string, use: (store: SessionStore) => Promise<Value>): Promise<Value> {
  const store = sqliteStore({ path: join(folder, '.troupe/sessions.db') });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

interface Log {
  readonly id: string;
  readonly label: string;
  readonly events: readonly SessionEvent[];
}

/** Everything below the top-level sessions. */
function logsBelow(folder: string): Promise<readonly Log[]> {
  return inStore(folder, async (store) => {
    const below = async ({ header }: Pick<SessionHead, 'header'>): Promise<Log[]> => {
      const logs: Log[] = [];
      for (const { data } of await store.children(header.id)) {
        const head = await store.head(toSessionId(data.id));
        if (head === undefined) throw new Error(`${data.id} is listed and has no session`);
        logs.push({ id: data.id, label: data.label ?? '', events: await store.read(head.header.id) }, ...(await below(head)));
      }
      return logs;
    };
    return (await Promise.all((await store.roots()).map(below))).flat();
  });
}

const isOver = ({ events }: Log) =>
  events.findLast(({ type }) => type === 'turn/started' || type === 'activation/ended')?.type === 'activation/ended';
/** What an agent did: everything but that its parent was told. */
const workIn = ({ events }: Log) => events.filter(({ type }) => type !== 'notice/delivered');

async function expectFinished(place: string, { report, folder }: Place, args: readonly string[] = ['run']): Promise<void> {
  const before = await logsBelow(place);
  const { code, stdout, stderr } = await runProgram(args, { cwd: place });
  expect(stderr).toMatch(/^continuing the survey of [-\d]+ [:\d]+, which was interrupted; --new begins another\n/);
  expect([code, stdout]).toEqual([0, report]);
  const after = await logsBelow(place);
  for (const done of before.filter(isOver)) {
    expect(workIn(after.find(({ id }) => id === done.id) as Log)).toEqual(workIn(done));
  }
  // another one may watch what is left; every part has one agent
  const labels = after.map(({ label }) => label).filter((label) => label !== 'watch for changes');
  expect(new Set(labels).size).toBe(labels.length);
  expect(after.filter((log) => !isOver(log))).toEqual([]);
  expect(readdirSync(join(place, '.troupe')).sort()).toEqual(readdirSync(join(folder, '.troupe')).sort());
  expect(await inStore(place, (store) => store.pending())).toEqual([]);
}

describe('troupe run after a kill', { timeout: 60_000 }, () => {
  let flat: Place;
  let divided: Place;

  beforeAll(async () => {
    [flat, divided] = await Promise.all([undisturbed(parts, []), undisturbed(deep, [])]);
  }, 60_000);

  test.each([4, 9, 15, 22, 30, 37])(
    'killed in its commit %i, the survey is finished by the next run: the same report, and no finished child runs again (S10.1, P18)',
    async (commits) => expectFinished(await killedIn(flat, commits), flat),
  );

  test.each([14, 26])(
    'killed in its commit %i, agents in the middle of the tree go on with what their own children have left (S10.1)',
    async (commits) => expectFinished(await killedIn(divided, commits), divided),
  );

  test('killed twice, it is finished by the third run (S10.1)', async () => {
    const place = await killedIn(flat, 18);
    const { code } = await runProgram(['8', 'run'], { cwd: place, entry: killedAfter });
    expect(code).toBeNull();
    await expectFinished(place, flat);
  });

  test('what has been finished stays finished: after that the next run begins another survey', async () => {
    const place = await killedIn(flat, 12);
    await expectFinished(place, flat);
    addFiles(place, { 'a/more.ts': 'one\n' });
    const { stdout, stderr } = await runProgram(['run'], { cwd: place });
    expect(stderr).not.toContain('continuing');
    expect(stdout).toContain('**19 files');
  });

  test.each([
    ['another question', ['run', '.', 'where is v3?']],
    ['--new', ['run', '--new']],
  ])('%s begins another survey', async (_, args) => {
    const { code, stderr } = await runProgram(args, { cwd: await killedIn(flat, 12) });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('continuing')]);
  });

  test('a survey with a question is continued by a run with the same one, or with none', async () => {
    const question = ['where is v2?'];
    const asked = await undisturbed(parts, question);
    await expectFinished(await killedIn(asked, 12, question), asked, ['run', '.', ...question]);
    await expectFinished(await killedIn(asked, 22, question), asked);
  });
});
