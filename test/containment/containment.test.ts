import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { noteFigure } from '../support/figures.ts';
import { badActors } from './bad-actors.ts';

interface Report {
  readonly name: string;
  readonly escaped: readonly string[];
  readonly works: boolean;
  readonly isClosed: boolean;
}

const reports = new Map<string, Report>();
let errorOutput = '';

beforeAll(async () => {
  const victim = fileURLToPath(new URL('victim.ts', import.meta.url));
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(process.execPath, [victim], { maxBuffer: 64 * 1024 * 1024 }, (_, stdout, stderr) => {
    errorOutput = stderr;
    resolve(stdout);
  });
  for (const line of (await promise).split('\n').filter((text) => text !== '')) {
    const report = JSON.parse(line) as Report;
    reports.set(report.name, report);
  }
}, 300_000);

test.each(badActors().map(({ name }) => name))(
  '%s lets nothing escape to the process, and the runtime still works and closes (P31, R17)',
  (name) => {
    noteFigure('badActors', 1);
    noteFigure('escapes', reports.get(name)?.escaped.length ?? 1);
    expect(reports.get(name)).toEqual({ name, escaped: [], works: true, isClosed: true });
  },
);

test('nothing of what they threw reaches the error output (P38)', () => {
  expect(errorOutput).not.toContain('CANARY');
});
