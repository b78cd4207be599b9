import { describe, expect, test } from 'vitest';
import { cycleProblems } from '../scripts/cycles.ts';
import { forbiddenUses, readDeterminism } from '../scripts/determinism.ts';
import { publicEntries } from '../scripts/entries.ts';
import { sourceFiles } from '../scripts/files.ts';
import { guaranteeProblems, table, withTable } from '../scripts/guarantees.ts';
import { type Import, importsOf, readImports } from '../scripts/imports.ts';
import { layerProblems } from '../scripts/layers.ts';
import type { StepRecord } from '../scripts/nightly/figures.ts';
import { readRetries, retriesIn } from '../scripts/retries.ts';
import { judgeSizes, readSizes } from '../scripts/sizes.ts';

const entries = publicEntries().map(({ source }) => source);

/** An import between two files of an imagined repository. */
function edge(from: string, to: string, kind: Import['kind'] = 'value'): Import {
  return { from, to, kind, target: /^(src|cli|test|bench)\//.test(to) ? 'file' : 'package', line: 1 };
}

describe('the repository', () => {
  const imports = readImports(['src', 'cli']);

  test('has source files and imports to judge', () => {
    expect(sourceFiles(['src']).length).toBeGreaterThan(10);
    expect(imports.length).toBeGreaterThan(10);
  });

  test('imports only downwards', () => {
    expect(layerProblems(imports, entries)).toEqual([]);
  });

  test('has no import cycle', () => {
    expect(cycleProblems(imports)).toEqual([]);
  });

  test('reaches the world only through ports', () => {
    expect(readDeterminism()).toEqual([]);
  });

  test('has no file over the limit', () => {
    expect(readSizes().problems).toEqual([]);
  });

  test('gives no test a second chance (R19)', () => {
    expect(readRetries()).toEqual([]);
  });

  test('says in docs/guarantees.md what its suites have counted', () => {
    expect(guaranteeProblems()).toEqual([]);
  });
});

describe('the layer rule', () => {
  test.each([
    ['a machine that reads a port', edge('src/machines/a.ts', 'src/ports/clock.ts', 'type'), /machines imports only xstate/],
    ['a machine that throws a coded error', edge('src/machines/a.ts', 'src/errors.ts'), /machines imports only xstate/],
    ['a machine that uses a package', edge('src/machines/a.ts', 'rxjs'), /machines imports only xstate/],
    ['a provider that knows a tool', edge('src/providers/a.ts', 'src/tools/b.ts', 'type'), /providers is below tools/],
    ['a port that knows a session', edge('src/ports/a.ts', 'src/sessions/b.ts', 'type'), /ground is below sessions/],
    [
      'an actor that loads the registry late',
      edge('src/actors/a.ts', 'src/registry/b.ts', 'dynamic'),
      /actors is below registry/,
    ],
    ['a public name taken from inside', edge('src/index.ts', 'src/internal.ts'), /public is below internal/],
    ['a source file that uses a test', edge('src/agents/a.ts', 'test/support/b.ts'), /nothing outside src/],
    ['a source file that uses the program', edge('src/agents/a.ts', 'cli/main.ts'), /nothing outside src/],
    ['a file in no layer', edge('src/utils.ts', 'rxjs'), /belongs to no layer/],
    ['an import of a file in no layer', edge('src/agents/a.ts', 'src/utils.ts'), /belongs to no layer/],
    ['a library that imports its own package', edge('src/agents/a.ts', 'troupe/machines'), /its package name/],
    ['a program that reaches inside', edge('cli/main.ts', 'src/registry/runtime.ts'), /only the public entries/],
  ])('refuses %s', (_what, bad, reason) => {
    expect(layerProblems([bad], ['src/index.ts'])).toEqual([expect.stringMatching(reason)]);
  });

  test.each([
    ['a neighbour', edge('src/machines/a.ts', 'src/machines/b.ts')],
    ['a lower layer', edge('src/tools/delegate.ts', 'src/providers/contract.ts')],
    ['a package', edge('src/agents/a.ts', 'ajv/dist/2020.js')],
    ['a public entry, from the program', edge('cli/main.ts', 'src/index.ts')],
    ['a file of the program, from the program', edge('cli/main.ts', 'cli/print.ts')],
  ])('allows %s', (_what, good) => {
    expect(layerProblems([good], ['src/index.ts'])).toEqual([]);
  });
});

describe('the cycle rule', () => {
  const ring = [edge('src/a.ts', 'src/b.ts'), edge('src/b.ts', 'src/c.ts'), edge('src/c.ts', 'src/a.ts')];

  test('names the files of a cycle and no others', () => {
    const graph = [edge('src/main.ts', 'src/a.ts'), ...ring, edge('src/c.ts', 'src/leaf.ts')];
    expect(cycleProblems(graph)).toEqual(['import cycle: src/a.ts, src/b.ts, src/c.ts']);
  });

  test('finds a file that imports itself', () => {
    expect(cycleProblems([edge('src/a.ts', 'src/a.ts')])).toEqual(['import cycle: src/a.ts']);
  });

  test('lets a type close a circle, since a type loads nothing', () => {
    expect(cycleProblems([...ring.slice(0, 2), edge('src/c.ts', 'src/a.ts', 'type')])).toEqual([]);
  });
});

describe('the import reader', () => {
  test('sees every way to import, with its kind', () => {
    const source = [
      `import { a } from './a.ts';`,
      `import type { B } from '../b.ts';`,
      `import { type C } from './c.ts';`,
      `export * from './d.ts';`,
      `export type { E } from './e.ts';`,
      `const f = await import('./f.ts');`,
      `type G = import('./g.ts').G;`,
      `import 'package/h.js';`,
      `// import { i } from './i.ts';`,
    ].join('\n');
    expect(importsOf('src/agents/x.ts', source).map(({ to, kind, line }) => `${line} ${to} ${kind}`)).toEqual([
      '1 src/agents/a.ts value',
      '2 src/b.ts type',
      '3 src/agents/c.ts value',
      '4 src/agents/d.ts value',
      '5 src/agents/e.ts type',
      '6 src/agents/f.ts dynamic',
      '7 src/agents/g.ts type',
      '8 package/h.js value',
    ]);
  });
});

describe('the determinism rule', () => {
  const uses = (source: string, path = 'src/actors/a.ts') => forbiddenUses(path, source);

  test.each([
    ['Date.now', 'export const at = Date.now();'],
    ['Date', 'export const at = new Date(0);'],
    ['Math.random', 'export const luck = Math.random();'],
    ['Math.random', `export const luck = Math['random']();`],
    ['setTimeout', 'setTimeout(() => undefined, 1);'],
    ['setImmediate', 'export const later = setImmediate;'],
    ['globalThis.setInterval', 'globalThis.setInterval(() => undefined, 1);'],
    ['globalThis.Date.now', 'globalThis.Date.now();'],
    ['process', 'export const id = process.pid;'],
    ['fetch', `await fetch('about:blank');`],
    ['performance.now', 'performance.now();'],
    ['crypto.randomUUID', 'crypto.randomUUID();'],
    ['AbortSignal.timeout', 'AbortSignal.timeout(5);'],
    ['AsyncDisposableStack', 'new AsyncDisposableStack();'],
    ['node:fs/promises', `import { readFile } from 'node:fs/promises'; readFile('x');`],
    ['child_process', `import { spawn } from 'child_process'; spawn('x');`],
    ['node:sqlite', `export const load = () => import('node:sqlite');`],
    ['randomUUID of node:crypto', `import { createHash, randomUUID as next } from 'node:crypto';`],
    ['timer of rxjs', `import { map, timer } from 'rxjs';`],
    ['setTimeout', 'export const clock = { setTimeout };'],
    ['Date.now', 'export const at = (Date.now as () => number)();'],
  ])('finds %s', (name, source) => {
    expect(uses(source)).toEqual([`src/actors/a.ts:1 uses ${name}: take it from a port (src/ports)`]);
  });

  test.each([
    ['a comment or a string', `// setTimeout\nexport const text = 'Date.now()';`],
    [
      'a type',
      `import type { ChildProcess } from 'node:child_process';\nexport type A = { at: Date; env: NodeJS.ProcessEnv; child: ChildProcess };`,
    ],
    ['a method that has the name', `export const wait = (clock: { setTimeout(): void }) => clock.setTimeout();`],
    ['a key that has the name', `export const ports = { fetch: 1, process: 2 };`],
    ['a local variable that has the name', `export function stop(process: { kill(): void }) { return () => process.kill(); }`],
    ['an import that has the name', `import { process } from '../machines/process.ts';\nprocess.start();`],
    ['a hash', `import { createHash } from 'node:crypto';\ncreateHash('sha256');`],
    ['queueMicrotask', 'queueMicrotask(() => undefined);'],
  ])('allows %s', (_what, source) => {
    expect(uses(source)).toEqual([]);
  });

  test('exempts the ports and the stores, where the world is reached', () => {
    expect(uses('Date.now();', 'src/ports/clock.ts')).toEqual([]);
    expect(uses(`import 'node:sqlite';`, 'src/sessions/stores/sqlite.ts')).toEqual([]);
  });
});

describe('the file-size rule', () => {
  test('warns over 250 lines and fails over 400', () => {
    const files = [250, 251, 400, 401].map((lines) => ({ path: `src/${lines}.ts`, lines }));
    const { warnings, problems } = judgeSizes(files);
    expect(warnings).toEqual([expect.stringContaining('src/251.ts'), expect.stringContaining('src/400.ts')]);
    expect(problems).toEqual([expect.stringContaining('src/401.ts')]);
  });
});

// The sources here are made up and are never run: no test of this project is retried.
describe('the rule against retries', () => {
  test.each([
    ['a configuration', 'export const config = { test: { retry: 2 } };'],
    ['a test', `test('flaky', { retry: 1 }, () => undefined);`],
    ['a test that is repeated', `test('lucky', { 'repeats': 3 }, () => undefined);`],
    ['a number that is named elsewhere', 'const retry = 3;\nexport const config = { retry };'],
  ])('finds them in %s', (_what, source) => {
    expect(retriesIn('test/a.ts', source)).toEqual([expect.stringMatching(/^test\/a\.ts:\d asks for retries/)]);
  });

  test('allows to ask for none, and to speak of them', () => {
    expect(retriesIn('test/a.ts', `// retry: 1\nexport const config = { retry: 0, header: 'retry' };`)).toEqual([]);
  });
});

describe('the table of guarantees', () => {
  const record: StepRecord = {
    ...{ size: 'ci', date: '2026-01-31', node: '24.0.0', seconds: 90, passed: true },
    figures: { 'equalDigests.of': 1_000, 'equalDigests.equal': 1_000 },
  };

  test('says of a step what it counted, at which size and on which day', () => {
    expect(table({ sim: record })).toContain('1,000 of 1,000 seeds ran twice the same way (`sim`, ci, 2026-01-31)');
  });

  test('says that a step has failed, and gives no figure of it', () => {
    const text = table({ sim: { ...record, passed: false } });
    expect(text).toContain('**FAILED** (`sim`, ci, 2026-01-31)');
    expect(text).not.toContain('1,000 of 1,000');
  });

  test('says that a step was never run', () => {
    expect(table({})).toContain('`sim`: not run yet');
  });

  test('leaves the page around it as it is', () => {
    const page = 'before\n<!-- figures -->\nold\n<!-- /figures -->\nafter\n';
    expect(withTable(page, 'new\n')).toBe('before\n<!-- figures -->\nnew\n<!-- /figures -->\nafter\n');
    expect(() => withTable('no place', '')).toThrow('no place for the table');
  });
});
