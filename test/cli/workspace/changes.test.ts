/** `watch_tree`: what has changed since a time. */
import { chmodSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Changes } from '../../../cli/workspace/changes.ts';
import { addFiles, makeFolder } from '../support/folders.ts';
import { toolsOf } from '../support/tools.ts';

async function look(folder: string, since?: number, paths = ['.']): Promise<Changes> {
  const input = { paths, ...(since === undefined ? {} : { since }) };
  return (await toolsOf(folder)('watch_tree', input)) as unknown as Changes;
}

/** Times of files come from a clock that is some milliseconds behind: makes files until one is stamped later than `at`. */
function waitForStampsAfter(at: number): void {
  const probe = join(makeFolder(), 'probe');
  do writeFileSync(probe, '');
  while (statSync(probe).ctimeMs <= at);
}

test('it names files that were made, changed or given other rights, and directories in which something was made or removed', async () => {
  const folder = makeFolder({ 'a/old': 'x', 'a/gone': 'x', 'b/rights': 'x', 'c/same': 'x', 'node_modules/x': '' });
  waitForStampsAfter(Date.now());
  const { at: since } = await look(folder);
  waitForStampsAfter(since);
  expect((await look(folder, since)).changed).toEqual({ count: 0, first: [] });
  addFiles(folder, { 'a/old': 'xy', 'new/file': '', 'node_modules/y': '' });
  rmSync(join(folder, 'a/gone'));
  chmodSync(join(folder, 'b/rights'), 0o600);
  symlinkSync('nowhere', join(folder, 'c/link'));
  const { changed } = await look(folder, since);
  expect(changed.first).toEqual(['.', 'a', 'a/old', 'b/rights', 'c', 'c/link', 'new', 'new/file']);
  expect((await look(folder, since, ['b', 'c'])).changed.first).toEqual(['b/rights', 'c', 'c/link']);
});

test('without a time it tells the time and looks at nothing', async () => {
  const before = Date.now();
  const { at, changed } = await look(makeFolder({ a: '' }));
  expect(at).toBeGreaterThanOrEqual(before);
  expect(changed).toEqual({ count: 0, first: [] });
});

test('an interruption ends the wait at once (S4.1)', async () => {
  const controller = new AbortController();
  const waiting = toolsOf(makeFolder({ a: '' }))('watch_tree', { paths: ['.'], since: 0, wait_ms: 60_000 }, controller.signal);
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toMatchObject({ cause: { message: 'enough' } });
});

test.each([[{ paths: ['..'], since: 0 }], [{ paths: [] }], [{ paths: ['.'], since: -1 }], [{ paths: ['.'], wait_ms: 60_001 }]])(
  '%j is refused',
  async (input) => {
    await expect(toolsOf(makeFolder({ a: '' }))('watch_tree', input)).rejects.toThrow();
  },
);

test('of very many changes the first fifty are named, and all are counted', async () => {
  const folder = makeFolder(Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`f${n}`, ''])));
  const { changed } = await look(folder, 0);
  expect([changed.count, changed.first.length]).toEqual([81, 50]);
});
