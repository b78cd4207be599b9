/** Finds words in files. Words are plain text, not patterns: a pattern that a model writes could take for ever to match. */
import { readHead, searchedBytesMax } from './contents.ts';
import { type Noted, noteList } from './noted.ts';
import { createPace } from './pace.ts';
import { type Scope, walk } from './walk.ts';
import { Refusal, type Workspace } from './workspace.ts';

export interface SearchRequest {
  readonly paths: readonly unknown[];
  readonly scope: Scope;
  readonly words: readonly string[];
  /** Letters, digits and `_` may not touch the word on either side, as with `grep -w`. */
  readonly wholeWord: boolean;
  readonly caseSensitive: boolean;
  readonly matchesMax: number;
}

export interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface Found {
  /** Lines that hold at least one of the words; `first` in the order of paths. */
  readonly lines: Noted<Match>;
  readonly files: number;
  readonly byWord: readonly { readonly word: string; readonly lines: number }[];
  /** Files with the most different words, then the most lines, then in the order of paths; each with its fullest line. */
  readonly best: readonly FileScore[];
  /** Files whose path holds a word. */
  readonly names: Noted<string>;
  readonly notSearched: { readonly binary: number; readonly tooLarge: number; readonly unreadable: number };
}

export interface FileScore extends Match {
  /** How many of the words occur in it, and on how many lines any of them. */
  readonly words: number;
  readonly lines: number;
}

export const wordsMax = 16;
const wordLengthMax = 200;
const bestMax = 10;
const namesMax = 10;
const textMax = 160;

export async function search(workspace: Workspace, request: SearchRequest, signal: AbortSignal): Promise<Found> {
  const finder = createFinder(request);
  const pace = createPace(signal);
  const lines = noteList<Match>(request.matchesMax);
  const names = noteList<string>(namesMax);
  const notSearched = { binary: 0, tooLarge: 0, unreadable: 0 };
  const linesByWord = request.words.map(() => 0);
  const scores: FileScore[] = [];
  for (const entry of walk(workspace, request.paths, request.scope)) {
    await pace();
    if (entry.kind !== 'file') continue;
    if (finder.wordsIn(entry.path).length > 0) names.add(entry.path);
    const head = tryRead(() => readHead(entry, searchedBytesMax));
    if (head === undefined) notSearched.unreadable++;
    else if (head.text === undefined) notSearched.binary++;
    else if (head.isCut) notSearched.tooLarge++;
    else if (finder.couldBeIn(head.text)) {
      const score = searchText(entry.path, head.text, finder, lines, linesByWord);
      if (score !== undefined) scores.push(score);
    }
  }
  return {
    lines: lines.read(),
    files: scores.length,
    byWord: request.words.map((word, index) => ({ word, lines: linesByWord[index] ?? 0 })),
    best: bestOf(scores),
    names: names.read(),
    notSearched,
  };
}

function searchText(
  path: string,
  text: string,
  finder: Finder,
  lines: { add(match: Match): void },
  linesByWord: number[],
): FileScore | undefined {
  const words = new Set<number>();
  let matching = 0;
  let fullest = { words: 0, line: 0, text: '' };
  text.split('\n').forEach((line, index) => {
    const hits = finder.wordsIn(line);
    const [first] = hits;
    if (first === undefined) return;
    matching++;
    for (const { word } of hits) {
      words.add(word);
      linesByWord[word] = (linesByWord[word] ?? 0) + 1;
    }
    const match = { line: index + 1, text: excerpt(line, first.at) };
    lines.add({ path, ...match });
    if (hits.length > fullest.words) fullest = { words: hits.length, ...match };
  });
  const { line, text: excerpted } = fullest;
  return matching === 0 ? undefined : { path, words: words.size, lines: matching, line, text: excerpted };
}

interface Hit {
  /** Index of the word in the request. */
  readonly word: number;
  readonly at: number;
}

interface Finder {
  /** A quick no for a whole file. */
  couldBeIn(text: string): boolean;
  wordsIn(line: string): Hit[];
}

function createFinder({ words, wholeWord, caseSensitive }: SearchRequest): Finder {
  if (words.length === 0 || words.length > wordsMax) throw new Refusal(`give 1 to ${wordsMax} words`);
  if (words.some((word) => word.trim() === '' || word.length > wordLengthMax || word.includes('\n'))) {
    throw new Refusal(`a word is 1 to ${wordLengthMax} characters on one line`);
  }
  const fold = (text: string) => (caseSensitive ? text : text.toLowerCase());
  const wanted = words.map(fold);
  const isHit = (line: string, word: string, at: number) =>
    !wholeWord || !(isWordCharacter(line[at - 1]) || isWordCharacter(line[at + word.length]));
  const findIn = (line: string, word: string): number => {
    for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + 1)) if (isHit(line, word, at)) return at;
    return -1;
  };
  return {
    couldBeIn(text) {
      const folded = fold(text);
      return wanted.some((word) => folded.includes(word));
    },
    wordsIn(line) {
      const folded = fold(line);
      return wanted.flatMap((word, index) => {
        const at = findIn(folded, word);
        return at < 0 ? [] : [{ word: index, at }];
      });
    },
  };
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}

/** The line around the match, on one line of bounded length. */
function excerpt(line: string, at: number): string {
  const from = at < textMax / 2 || line.length <= textMax ? 0 : at - 40;
  return line
    .slice(from, from + textMax)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function bestOf(scores: FileScore[]): FileScore[] {
  return scores.sort((left, right) => right.words - left.words || right.lines - left.lines).slice(0, bestMax);
}

function tryRead<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    // A file that cannot be opened or read; the caller counts it, `measure_tree` says why.
    return undefined;
  }
}
