/** A part's report as the answer of a child: a sentence for people, and one line of JSON in a fence for the merge. */
import { isCount, isList, isNoted, isRecord, isText } from './check.ts';
import { reportBounds } from './merge.ts';
import { cutPart, type ListBounds, type PartReport } from './part.ts';
import { bytesText, code as codeText, countText, quotesText } from './text.ts';

/** Small enough that the runtime hands it to the delegating agent whole, and that a step of four fits any model. */
export const answerBytesMax = 12 * 1024;

const fence = '```';
const blockPattern = /^```troupe-part\n(.*)\n```$/gm;

export function renderAnswer(part: PartReport): string {
  for (const share of [1, 0.5, 0.25, 0.1, 0.02]) {
    const answer = renderOnce(cutPart({ ...part, remarks: part.remarks.slice(0, 5) }, shareOf(share)));
    if (Buffer.byteLength(answer) <= answerBytesMax) return answer;
  }
  return renderOnce(cutPart({ ...part, quotes: [], remarks: [] }, shareOf(0)));
}

/** The last block of the text, or undefined if there is none that holds. The text may be a model's. */
export function parseAnswer(text: string): PartReport | undefined {
  const json = [...text.matchAll(blockPattern)].at(-1)?.[1];
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isPartReport(value) ? value : undefined;
  } catch {
    // A block that is not JSON: the child did not keep to the format.
    return undefined;
  }
}

function renderOnce(part: PartReport): string {
  const where = part.paths.length === 1 ? codeText(part.paths[0] ?? '') : countText(part.paths.length, 'folder');
  const size = `${countText(part.files, 'file')}, ${countText(part.lines, 'line')}, ${bytesText(part.bytes)}`;
  const sentence = `Surveyed ${where}: ${size}, ${countText(part.marks.count, 'mark')}.${part.quotes.length === 0 ? '' : ` ${quotesText(part.quotes)}`}`;
  return `${sentence}\n\n${fence}troupe-part\n${JSON.stringify(part)}\n${fence}`;
}

function shareOf(share: number): ListBounds {
  const { types, ...lists } = reportBounds;
  const cut = Object.entries(lists).map(([name, max]) => [name, Math.floor(max * share)]);
  return { ...(Object.fromEntries(cut) as Omit<ListBounds, 'types'>), types: Math.max(8, Math.floor(types * share)) };
}

function isPartReport(value: unknown): value is PartReport {
  if (!isRecord(value)) return false;
  const { notSearched, code, hits } = value;
  return (
    isList(value.paths, isText) &&
    isList(value.subfolders, isText) &&
    isList(value.quotes, isRow(['file', 'text'])) &&
    isRow([], ['agents', 'directories', 'binaryFiles', ...sizeNames])(value) &&
    isList(value.types, isRow(['type'], sizeNames)) &&
    isList(value.largest, isRow(['path'], ['lines', 'bytes'])) &&
    isList(value.folders, isFolder) &&
    isNoted(value.marks, isRow(['path', 'text'], ['line'])) &&
    isNoted(value.unreadable, isRow(['path', 'reason'])) &&
    isNoted(value.symlinks, isRow(['path', 'target'])) &&
    isNoted(value.special, isRow(['path', 'what'])) &&
    isNoted(value.uncounted, isRow(['path'], ['bytes'])) &&
    isNoted(value.skipped, isRow(['path'])) &&
    isRow([], ['binary', 'tooLarge', 'unreadable'])(notSearched) &&
    isList(value.remarks, isText) &&
    isCode(code) &&
    (hits === undefined || isHits(hits))
  );
}

function isCode(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return (
    isRow([], ['files', 'inside'])(value) &&
    isList(value.packages, isRow(['name'], ['files'])) &&
    isList(value.reaches, isRow(['path'], ['imports'])) &&
    isNoted(value.exports, isText)
  );
}

function isFolder(value: unknown): boolean {
  return isRow(['path'], sizeNames)(value) && isRecord(value) && isList(value.quotes, isRow(['file', 'text']));
}

function isHits(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return (
    typeof value.isWhole === 'boolean' &&
    isRow([], ['files', 'lines'])(value) &&
    isNoted(value.names, isText) &&
    isList(value.byWord, isRow(['word'], ['lines'])) &&
    isList(value.best, isRow(['path', 'text'], ['words', 'lines', 'line']))
  );
}

const sizeNames = ['files', 'lines', 'bytes'];

function isRow(texts: readonly string[], counts: readonly string[] = []) {
  return (value: unknown): boolean =>
    isRecord(value) && texts.every((name) => isText(value[name])) && counts.every((name) => isCount(value[name]));
}
