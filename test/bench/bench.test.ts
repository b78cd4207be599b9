/** That the benchmarks run and say what they promise. What they measure is never tested: it depends on the machine. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { rows } from '../../bench/rows.ts';
import { targetsOf } from '../../bench/targets.ts';

const main = join(import.meta.dirname, '../../bench/main.ts');
const run = (...args: string[]) => promisify(execFile)(process.execPath, ['--expose-gc', main, '--quick', ...args]);

describe('npm run bench', { timeout: 60_000 }, () => {
  it('prints one JSON object of the chosen rows and nothing else', async () => {
    const { stdout } = await run('--json', 'lifecycle.sqlite', 'messages');
    const { rows: measured, ...rest } = JSON.parse(stdout) as { rows: Record<string, unknown>[] };
    expect(rest).toEqual({});
    expect(measured.map(({ name }) => name)).toEqual([
      'lifecycle.sqlite',
      'messages.memory',
      'messages.sqlite',
      'messages.sqlite.64',
    ]);
    for (const { name, unit, ...fields } of measured) {
      expect([typeof name, typeof unit]).toEqual(['string', 'string']);
      expect(Object.values(fields).every(Number.isFinite)).toBe(true);
    }
    expect(measured[0]).toMatchObject({ value: expect.any(Number), ratioToMemory: expect.any(Number) });
  });

  it('prints a table with the targets beside the rows', async () => {
    const { stdout } = await run('resume.memory');
    expect(stdout).toMatch(/^resume\.memory .* ms +(held|MISSED): at most 0\.5$/m);
  });

  it('refuses a row that does not exist, and names those that do', async () => {
    const failure = await run('lifecycle.memory', 'no.such.row').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/no\.such\.row.*heap\.perWaitingChild/) });
  });

  it('has a target for every row', () => {
    expect(rows.filter(({ name }) => targetsOf(name).length === 0)).toEqual([]);
  });
});
