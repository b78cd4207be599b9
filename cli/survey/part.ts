/** What an agent reports about its part of the tree. Counts are exact; lists hold the first or largest few. */
import type { Imports } from '../workspace/imports.ts';
import type { Measured, Size } from '../workspace/measure.ts';
import type { Noted } from '../workspace/noted.ts';
import type { FileScore, Found, Match } from '../workspace/search.ts';

export interface PartReport extends Omit<Measured, 'byPath'> {
  readonly paths: readonly string[];
  readonly quotes: readonly Quote[];
  /** Names of directories directly in it. */
  readonly subfolders: readonly string[];
  /** How many agents worked on it. */
  readonly agents: number;
  readonly marks: Noted<Match>;
  readonly notSearched: Found['notSearched'];
  readonly code: Omit<Imports, 'languages'>;
  /** Folders of a part that covers several or was divided further. */
  readonly folders: readonly FolderRow[];
  /** For the question, if there was one. */
  readonly hits?: Hits;
  /** What did not go as planned. */
  readonly remarks: readonly string[];
}

/** What a file says of itself and what is around it, as it stands there: untrusted text. */
export interface Quote {
  readonly file: string;
  readonly text: string;
}

export interface FolderRow extends Size {
  readonly path: string;
  readonly quotes: readonly Quote[];
}

export interface Hits {
  /** Counted as whole words; otherwise nowhere did one occur, and this is what occurs inside words. */
  readonly isWhole: boolean;
  readonly lines: number;
  readonly files: number;
  readonly byWord: readonly { readonly word: string; readonly lines: number }[];
  readonly best: readonly FileScore[];
  readonly names: Noted<string>;
}

/** How many items each list of a report keeps. */
export interface ListBounds {
  readonly largest: number;
  readonly marks: number;
  readonly packages: number;
  readonly reaches: number;
  readonly exports: number;
  readonly folders: number;
  readonly types: number;
  readonly notes: number;
  readonly hits: number;
}

export const otherTypes = '(other types)';

export function cutPart(part: PartReport, bounds: ListBounds): PartReport {
  const { code, hits } = part;
  return {
    ...part,
    types: cutTypes(part.types, bounds.types),
    largest: part.largest.slice(0, bounds.largest),
    marks: cutNoted(part.marks, bounds.marks),
    code: {
      ...code,
      packages: code.packages.slice(0, bounds.packages),
      reaches: code.reaches.slice(0, bounds.reaches),
      exports: cutNoted(code.exports, bounds.exports),
    },
    folders: part.folders.slice(0, bounds.folders),
    unreadable: cutNoted(part.unreadable, bounds.notes),
    symlinks: cutNoted(part.symlinks, bounds.notes),
    special: cutNoted(part.special, bounds.notes),
    uncounted: cutNoted(part.uncounted, bounds.notes),
    skipped: cutNoted(part.skipped, bounds.notes),
    ...(hits === undefined
      ? {}
      : {
          hits: { ...hits, best: hits.best.slice(0, bounds.hits), names: cutNoted(hits.names, bounds.hits) },
        }),
  };
}

function cutNoted<Item>(noted: Noted<Item>, max: number): Noted<Item> {
  return { count: noted.count, first: noted.first.slice(0, max) };
}

/** What does not fit is added up in one row, so that the rows still make the total. */
function cutTypes(types: PartReport['types'], max: number): PartReport['types'] {
  if (types.length <= max) return types;
  const rest = types.slice(max - 1).reduce((sum, row) => addSizes(sum, row), { files: 0, lines: 0, bytes: 0 });
  return [...types.slice(0, max - 1), { type: otherTypes, ...rest }];
}

export function addSizes(left: Size, right: Size): Size {
  return { files: left.files + right.files, lines: left.lines + right.lines, bytes: left.bytes + right.bytes };
}
