import { expect, test } from 'vitest';
import { type Imports, scanSource } from '../../../cli/workspace/imports.ts';
import { type Language, languageOf } from '../../../cli/workspace/languages.ts';
import { makeFolder } from '../support/folders.ts';
import { toolsOf } from '../support/tools.ts';

function scan(type: string, text: string) {
  return scanSource(languageOf(type) as Language, text);
}

const typeScript = `#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import type { Agent } from '../agents/agent.ts';
import './effect.ts';
import {
  one,
  two,
} from "@scope/package/sub";
const lazy = await import('lazy'); const old = require('old');
// import { no } from 'comment';
export { one, two as second } from './barrel.ts';
export * from './all.ts';
export * as space from './space.ts';
export type {
  First,
  Second as Other,
} from './types.ts';
export const value = 1;
export async function run() {}
export abstract class Base {}
export interface Shape {}
export default class Main {}
  export const indented = 1;
`;

test('imports and exports of TypeScript are found line by line', () => {
  const { imports, exported } = scan('.ts', typeScript);
  expect(imports).toEqual([
    'node:fs',
    '../agents/agent.ts',
    './effect.ts',
    '@scope/package/sub',
    'lazy',
    'old',
    './barrel.ts',
    './all.ts',
    './space.ts',
    './types.ts',
  ]);
  expect(exported).toEqual(['one', 'second', '*', 'space', 'First', 'Other', 'value', 'run', 'Base', 'Shape', 'Main']);
});

test.each([
  ['.js', 'export default 1;\nmodule.exports = {};\nexports.a = 1;\n', [], ['default', 'module.exports', 'a']],
  ['.js', 'export default function () {}\nexport default async () => {};\n', [], ['default', 'default']],
  [
    '.py',
    'import os, sys\nfrom a.b import c\nfrom . import d\ndef run(): pass\nclass _Hidden: pass\n  def inner(self): pass\n',
    ['os', 'sys', 'a.b', '.'],
    ['run'],
  ],
  [
    '.go',
    'package x\nimport "fmt"\nimport (\n\t"os"\n\talias "a/b"\n)\nfunc Run() {}\nfunc (s *S) Do() {}\nfunc hidden() {}\n',
    ['fmt', 'os', 'a/b'],
    ['Run', 'Do'],
  ],
  ['.rs', 'use std::fs;\npub use crate::a;\npub fn run() {}\nfn hidden() {}\npub struct S;\n', ['std', 'crate'], ['run', 'S']],
  [
    '.java',
    'import java.util.List;\nimport static a.b.C.d;\npublic final class Main {}\n',
    ['java.util.List', 'a.b.C.d'],
    ['Main'],
  ],
  ['.c', '#include <stdio.h>\n#include "own.h"\n', ['stdio.h', 'own.h'], []],
  ['.rb', "require 'json'\nrequire_relative './own'\nclass Main\n", ['json', 'own'], ['Main']],
  ['.php', 'use App\\Models\\User;\nfinal class Main\n', ['App\\Models\\User'], ['Main']],
  ['.cs', 'using System.IO;\npublic sealed class Main\n', ['System.IO'], ['Main']],
])('a %s file that reads %j imports %j and exports %j', (type, text, imports, exported) => {
  expect(scan(type, text)).toEqual({ imports, exported });
});

test('a hostile line of a megabyte costs nothing', () => {
  const started = performance.now();
  scan('.ts', `import ${' '.repeat(1e6)}from`);
  scan('.ts', Array.from({ length: 500 }, () => `import ${' from '.repeat(300)}`).join('\n'));
  expect(performance.now() - started).toBeLessThan(1_000);
});

test('packages count files, and imports between directories are told from those within', async () => {
  const folder = makeFolder({
    'a/one.ts': "import x from 'pkg/deep';\nimport y from 'pkg';\nimport './two.ts';\nimport '../b/three.ts';\n",
    'a/two.ts': "import '@scope/name/sub';\nimport 'pkg';\nexport const two = 2;\n",
    'b/three.ts': '',
  });
  const imports = (await toolsOf(folder)('list_imports', { paths: ['a'] })) as unknown as Imports;
  expect(imports).toEqual({
    files: 2,
    languages: [{ language: 'JavaScript and TypeScript', files: 2 }],
    packages: [
      { name: 'pkg', files: 2 },
      { name: '@scope/name', files: 1 },
    ],
    inside: 1,
    reaches: [{ path: 'b', imports: 1 }],
    exports: { count: 1, first: ['two'] },
  });
  expect(await toolsOf(folder)('list_imports', { paths: ['.'] })).toMatchObject({ inside: 2, reaches: [] });
});
