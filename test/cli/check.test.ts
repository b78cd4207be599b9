/** `troupe check`: whether the sessions of a folder obey the contract. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type NewSessionEvent, type SessionHeader, toSessionId } from '../../src/index.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { expectTraceProblems, makeFolder } from './support/folders.ts';
import { runProgram } from './support/program.ts';

const header: SessionHeader = {
  ...{ version: 1, id: toSessionId('odd'), createdAt: 1, cwd: '/project', project: '/project' },
  ...{ delegationDepth: 0, isSeeded: false, inheritedEvents: 0 },
};
const check = (folder: string) => runProgram(['check', '--dir', folder]);
const openStore = (folder: string) => sqliteStore({ path: join(folder, '.troupe/sessions.db') });

describe('troupe check', { timeout: 60_000 }, () => {
  test('finds nothing wrong with what a survey leaves, and changes nothing', async () => {
    const folder = makeFolder({ 'a/file': 'x', 'b/file': 'y' });
    expect((await runProgram(['run', folder])).code).toBe(0);
    const { code, stdout, stderr } = await check(folder);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^no problems in [4-9] sessions with \d+ events\n$/);
    expect((await check(folder)).stderr).toBe(stderr);
  });

  test('says each problem in a line, with rule, session and event, and exits with 1', async () => {
    const folder = makeFolder({ file: 'x' });
    expect((await runProgram(['run', folder])).code).toBe(0);
    expectTraceProblems(folder);
    const store = openStore(folder);
    const ended: NewSessionEvent = { type: 'turn/ended', time: 1, data: { turnId: 'red\u001b[31m', stopReason: 'completed' } };
    await store.create(header, 'somebody', [ended]);
    await store.close();
    const { code, stdout, stderr } = await check(folder);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^one-turn: odd, event 0: turn red[\w [\]]* ends and is not open\n$/);
    expect(stderr).toMatch(/^troupe: 1 problem in \d+ sessions with \d+ events\n$/);
  });

  test('reads also what a live process holds', async () => {
    const folder = makeFolder({ '.troupe/': '' });
    const store = openStore(folder);
    await store.create(header, 'somebody', []);
    expect(await check(folder)).toMatchObject({ code: 0, stderr: 'no problems in 1 session with 0 events\n' });
    await store.close();
  });

  test('where there are no sessions it says so', async () => {
    expect(await check(makeFolder({ a: '' }))).toMatchObject({ code: 0, stdout: '', stderr: 'no sessions here yet\n' });
  });
});
