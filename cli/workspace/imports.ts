/** What files take from each other and from packages, and what they offer, judged line by line. */
import { posix } from 'node:path';
import { readHead, searchedBytesMax } from './contents.ts';
import { fileType } from './file-type.ts';
import { type Language, type LineBlock, languageOf } from './languages.ts';
import { type Noted, noteList } from './noted.ts';
import { createPace } from './pace.ts';
import { type Scope, walk } from './walk.ts';
import type { Workspace } from './workspace.ts';

export interface ImportsRequest {
  readonly paths: readonly unknown[];
  readonly scope: Scope;
}

export interface Imports {
  /** Files of a language whose imports are known. */
  readonly files: number;
  readonly languages: readonly { readonly language: string; readonly files: number }[];
  /** Packages by how many files import them. */
  readonly packages: readonly { readonly name: string; readonly files: number }[];
  /** Imports from one file of these paths to another. */
  readonly inside: number;
  /** Imports that leave these paths for another directory of the folder. */
  readonly reaches: readonly { readonly path: string; readonly imports: number }[];
  readonly exports: Noted<string>;
}

const packagesMax = 100;
const reachesMax = 50;
const exportsMax = 40;
/** Longer lines are generated; matching them costs more than it tells. */
const lineMax = 2_000;

export async function listImports(workspace: Workspace, request: ImportsRequest, signal: AbortSignal): Promise<Imports> {
  const pace = createPace(signal);
  const homes = request.paths.map((path) => workspace.locate(path).path);
  const counts = {
    languages: new Map<string, number>(),
    packages: new Map<string, number>(),
    reaches: new Map<string, number>(),
  };
  const exports = noteList<string>(exportsMax);
  let files = 0;
  let inside = 0;
  for (const entry of walk(workspace, request.paths, request.scope)) {
    await pace();
    const language = entry.kind === 'file' ? languageOf(fileType(entry.path)) : undefined;
    if (entry.kind !== 'file' || language === undefined) continue;
    const { imports, exported } = scanSource(
      language,
      textOf(() => readHead(entry, searchedBytesMax).text),
    );
    files++;
    count(counts.languages, language.name);
    for (const name of exported) exports.add(name);
    for (const name of packagesIn(language, imports)) count(counts.packages, name);
    for (const specifier of imports.filter((specifier) => language.isLocal(specifier))) {
      const target = language.localIsPath ? posix.join(posix.dirname(entry.path), specifier) : entry.path;
      if (homes.some((home) => home === '.' || target === home || target.startsWith(`${home}/`))) inside++;
      else count(counts.reaches, posix.dirname(target));
    }
  }
  return {
    files,
    languages: ranked(counts.languages).map(([language, files]) => ({ language, files })),
    packages: ranked(counts.packages)
      .slice(0, packagesMax)
      .map(([name, files]) => ({ name, files })),
    inside,
    reaches: ranked(counts.reaches)
      .slice(0, reachesMax)
      .map(([path, imports]) => ({ path, imports })),
    exports: exports.read(),
  };
}

/** The import specifiers and exported names of one source text, in order, with repeats. */
export function scanSource(language: Language, text: string): { imports: string[]; exported: string[] } {
  const imports: string[] = [];
  const exported: string[] = [];
  let importBlock: LineBlock | undefined;
  let exportBlock: LineBlock | undefined;
  for (const line of text.split('\n')) {
    if (line.length > lineMax || /^\s*(?:\/\/|\*|\/\*)/.test(line)) continue;
    for (const pattern of language.imports) imports.push(...firstGroups(pattern, line));
    for (const pattern of language.exports) exported.push(...firstGroups(pattern, line));
    if (language.importBlock?.first.test(line)) importBlock = language.importBlock;
    if (language.exportBlock?.first.test(line)) exportBlock = language.exportBlock;
    if (importBlock !== undefined) imports.push(...firstGroups(importBlock.item, line));
    if (exportBlock !== undefined)
      exported.push(...firstGroups(exportBlock.item, line.replace(/^export\s+(?:type\s+)?/, '').replace(/\}.*/, '}')));
    if (importBlock?.last.test(line)) importBlock = undefined;
    if (exportBlock?.last.test(line)) exportBlock = undefined;
  }
  return { imports, exported };
}

function firstGroups(pattern: RegExp, line: string): string[] {
  const matches = pattern.global ? [...line.matchAll(pattern)] : [pattern.exec(line)];
  return matches.flatMap((match) => (match?.[1] === undefined ? [] : [match[1]]));
}

function packagesIn(language: Language, imports: readonly string[]): Set<string> {
  return new Set(imports.filter((specifier) => !language.isLocal(specifier)).map((specifier) => language.packageOf(specifier)));
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function ranked(counts: Map<string, number>): [string, number][] {
  return [...counts].sort(([left, more], [right, less]) => less - more || (left < right ? -1 : 1));
}

/** A file that cannot be read has no imports that anybody could see; `measure_tree` reports it. */
function textOf(read: () => string | undefined): string {
  try {
    return read() ?? '';
  } catch {
    return '';
  }
}
