/** What an agent finds out itself about paths of its part, with the tools of the workspace. */
import type { Imports } from '../workspace/imports.ts';
import type { Listing } from '../workspace/listing.ts';
import type { Measured } from '../workspace/measure.ts';
import type { ReadText } from '../workspace/read.ts';
import type { Found } from '../workspace/search.ts';
import type { Scope } from '../workspace/walk.ts';
import type { Desk } from './desk.ts';
import { type Evidence, evidencePaths, quotesOf } from './evidence.ts';
import { reportBounds } from './merge.ts';
import type { Hits, PartReport } from './part.ts';

export interface Examination {
  readonly paths: readonly string[];
  readonly scope: Scope;
  /** The words of the question; empty if there is none. */
  readonly words: readonly string[];
}

/** The words that mark unfinished work. */
export const markWords: readonly string[] = ['TODO', 'FIXME'];
/** Of a part with more folders than this only the first are described one by one. */
const describedMax = 8;
const subfoldersMax = 12;
/** The head of a file says what it is; JSON is nothing unless it is whole. */
const linesOf = (path: string) => (path.endsWith('.json') ? 1_000 : 60);

/** Undefined until all results are there. Throws `ToolFailure` if a tool does not serve. */
export function examine(desk: Desk, { paths, scope, words }: Examination): PartReport | undefined {
  const measured = answerOf<Measured>(desk, 'measure_tree', { paths, scope, largest_max: reportBounds.largest });
  const marks = answerOf<Found>(desk, 'search_text', {
    paths,
    scope,
    words: markWords,
    whole_word: true,
    case_sensitive: true,
    matches_max: reportBounds.marks,
  });
  const imports = answerOf<Imports>(desk, 'list_imports', { paths, scope });
  const hits = words.length === 0 ? undefined : hitsOf(desk, { paths, scope, words });
  const evidence = readEvidence(desk, paths);
  if (!measured || !marks || !imports || !evidence || (words.length > 0 && !hits)) return undefined;
  const { languages: _, ...code } = imports;
  const { byPath, ...sizes } = measured;
  return {
    ...sizes,
    paths,
    quotes: quotesOf(evidence),
    subfolders: evidence.flatMap(({ folders }) => folders).slice(0, subfoldersMax),
    agents: 1,
    marks: marks.lines,
    notSearched: marks.notSearched,
    code,
    folders:
      paths.length === 1
        ? []
        : byPath.map((row) => ({ ...row, quotes: quotesOf(evidence.filter(({ home }) => home === row.path)) })),
    remarks: [],
    ...(hits === undefined ? {} : { hits }),
  };
}

/** Whole words; what is only inside words counts where there is none. Undefined until the results are there. */
function hitsOf(desk: Desk, { paths, scope, words }: Examination): Hits | undefined {
  const input = { paths, scope, words, matches_max: reportBounds.hits };
  for (const isWhole of [true, false]) {
    const found = answerOf<Found>(desk, 'search_text', { ...input, whole_word: isWhole });
    if (found === undefined) return undefined;
    const { lines, files, byWord, best, names } = found;
    if (!isWhole || lines.count + names.count > 0) return { isWhole, lines: lines.count, files, byWord, best, names };
  }
  return undefined;
}

/** The listings of the paths that are directories, for evidence and for dividing the work. */
export function listPaths(desk: Desk, paths: readonly string[]): readonly Listing[] | undefined {
  const replies = paths.slice(0, describedMax).map((path) => desk.ask('list_directory', { path }));
  if (replies.some((reply) => reply === undefined)) return undefined;
  // What cannot be listed (a file, an unreadable directory) is left to measure_tree, which says why.
  return replies.flatMap((reply) => (reply?.ok ? [reply.value as Listing] : []));
}

/** A tool refused or failed, so the survey cannot be right. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

function answerOf<Value>(desk: Desk, toolName: string, input: Readonly<Record<string, unknown>>): Value | undefined {
  const reply = desk.ask(toolName, input);
  if (reply === undefined) return undefined;
  if (!reply.ok) throw new ToolFailure(`${toolName}: ${reply.reason}`);
  return reply.value as Value;
}

function readEvidence(desk: Desk, paths: readonly string[]): Evidence[] | undefined {
  const listings = listPaths(desk, paths);
  if (listings === undefined) return undefined;
  const evidence = listings.map((listing) => {
    const replies = evidencePaths(listing).map((path) => ({
      path,
      reply: desk.ask('read_file', { path, lines_max: linesOf(path) }),
    }));
    if (replies.some(({ reply }) => reply === undefined)) return undefined;
    const files = replies.flatMap(({ path, reply }) => (reply?.ok ? [{ path, text: (reply.value as ReadText).text }] : []));
    return { home: listing.path, files, folders: listing.directories.map(({ name }) => name) };
  });
  const complete = evidence.filter((found) => found !== undefined);
  return complete.length < evidence.length ? undefined : complete;
}
