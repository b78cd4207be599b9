/** Makes one report of several about parts that do not overlap. */
import type { Noted } from '../workspace/noted.ts';
import { addSizes, type FolderRow, type Hits, type ListBounds, type PartReport, type Quote } from './part.ts';

export interface MergedAs {
  readonly paths: readonly string[];
  readonly quotes: readonly Quote[];
  readonly subfolders: readonly string[];
  readonly folders: readonly FolderRow[];
}

/** Lists are joined and put in order again, not cut: the caller bounds them. */
export function mergeParts(parts: readonly PartReport[], as: MergedAs): PartReport {
  const sum = (pick: (part: PartReport) => number) => parts.reduce((total, part) => total + pick(part), 0);
  const hits = parts.flatMap((part) => (part.hits === undefined ? [] : [part.hits]));
  return {
    ...as,
    files: sum(({ files }) => files),
    lines: sum(({ lines }) => lines),
    bytes: sum(({ bytes }) => bytes),
    directories: sum(({ directories }) => directories),
    binaryFiles: sum(({ binaryFiles }) => binaryFiles),
    agents: sum(({ agents }) => agents),
    types: mergeTypes(parts),
    largest: parts.flatMap(({ largest }) => largest).sort((left, right) => right.bytes - left.bytes),
    marks: joinNoted(parts.map(({ marks }) => marks)),
    notSearched: {
      binary: sum(({ notSearched }) => notSearched.binary),
      tooLarge: sum(({ notSearched }) => notSearched.tooLarge),
      unreadable: sum(({ notSearched }) => notSearched.unreadable),
    },
    code: mergeCode(parts, as.paths),
    unreadable: joinNoted(parts.map(({ unreadable }) => unreadable)),
    symlinks: joinNoted(parts.map(({ symlinks }) => symlinks)),
    special: joinNoted(parts.map(({ special }) => special)),
    uncounted: joinNoted(parts.map(({ uncounted }) => uncounted)),
    skipped: joinNoted(parts.map(({ skipped }) => skipped)),
    remarks: parts.flatMap(({ remarks }) => remarks),
    ...(hits.length === 0 ? {} : { hits: mergeHits(hits) }),
  };
}

function mergeTypes(parts: readonly PartReport[]): PartReport['types'] {
  const rows = new Map<string, PartReport['types'][number]>();
  for (const row of parts.flatMap(({ types }) => types)) {
    const before = rows.get(row.type);
    rows.set(row.type, before === undefined ? row : { type: row.type, ...addSizes(before, row) });
  }
  return [...rows.values()].sort((left, right) => right.bytes - left.bytes || (left.type < right.type ? -1 : 1));
}

/** An import from one part to another is inside the whole. */
function mergeCode(parts: readonly PartReport[], paths: readonly string[]): PartReport['code'] {
  const codes = parts.map(({ code }) => code);
  const reaches = addUp(codes.flatMap((code) => code.reaches.map(({ path, imports }) => [path, imports] as const)));
  const isInside = (path: string) => paths.some((home) => home === '.' || path === home || path.startsWith(`${home}/`));
  return {
    files: codes.reduce((total, { files }) => total + files, 0),
    packages: addUp(codes.flatMap((code) => code.packages.map(({ name, files }) => [name, files] as const))).map(
      ([name, files]) => ({ name, files }),
    ),
    inside:
      codes.reduce((total, { inside }) => total + inside, 0) +
      reaches.reduce((total, [path, imports]) => total + (isInside(path) ? imports : 0), 0),
    reaches: reaches.filter(([path]) => !isInside(path)).map(([path, imports]) => ({ path, imports })),
    exports: joinNoted(codes.map(({ exports }) => exports)),
  };
}

/** Whole words in one part make what is only inside words in others no hit. */
function mergeHits(all: readonly Hits[]): Hits {
  const isWhole = all.some((part) => part.isWhole);
  const hits = all.map((part) => (part.isWhole === isWhole ? part : withoutHits(part)));
  return {
    isWhole,
    lines: hits.reduce((total, { lines }) => total + lines, 0),
    files: hits.reduce((total, { files }) => total + files, 0),
    byWord: addUpInOrder(hits.flatMap(({ byWord }) => byWord.map(({ word, lines }) => [word, lines] as const))).map(
      ([word, lines]) => ({ word, lines }),
    ),
    best: hits.flatMap(({ best }) => best).sort((left, right) => right.words - left.words || right.lines - left.lines),
    names: joinNoted(hits.map(({ names }) => names)),
  };
}

function withoutHits({ byWord, isWhole }: Hits): Hits {
  const none = byWord.map(({ word }) => ({ word, lines: 0 }));
  return { isWhole, lines: 0, files: 0, byWord: none, best: [], names: { count: 0, first: [] } };
}

function joinNoted<Item>(lists: readonly Noted<Item>[]): Noted<Item> {
  return { count: lists.reduce((total, { count }) => total + count, 0), first: lists.flatMap(({ first }) => first) };
}

function addUp(pairs: readonly (readonly [string, number])[]): [string, number][] {
  return addUpInOrder(pairs).sort(([left, more], [right, less]) => less - more || (left < right ? -1 : 1));
}

function addUpInOrder(pairs: readonly (readonly [string, number])[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const [key, value] of pairs) sums.set(key, (sums.get(key) ?? 0) + value);
  return [...sums];
}

/** What an agent keeps for its own report. */
export const reportBounds: ListBounds = {
  largest: 10,
  marks: 20,
  packages: 40,
  reaches: 20,
  exports: 30,
  folders: 60,
  types: 40,
  notes: 10,
  hits: 10,
};
