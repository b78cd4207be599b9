/** One part of a report as Markdown. */
import type { Size } from '../workspace/measure.ts';
import { kindOf } from './evidence.ts';
import type { PartReport } from './part.ts';
import { bytesText, code, countText, numberText, prose, quotesText } from './text.ts';

export function partLines(part: PartReport): string[] {
  const binary = part.binaryFiles > 0 ? `, ${countText(part.binaryFiles, 'binary file')}` : '';
  const largest = part.largest
    .slice(0, 5)
    .map(({ path, lines, bytes }) => `${code(path)} ${bytesText(bytes)}, ${countText(lines, 'line')}`);
  const types = part.types.slice(0, 12).map((row) => `${code(row.type)} ${sizeText(row)}`);
  const marks = part.marks.first.map(({ path, line, text }) => `${code(`${path}:${line}`)} ${code(text)}`);
  const folders = part.folders.map((row) =>
    [`${code(row.path)} ${sizeText(row)}`, quotesText(row.quotes)].filter(isFilled).join(' — '),
  );
  return [
    ...(part.files === 0 ? [] : [whatOf(part), '']),
    `${sizeText(part)}${foldersText(part)}${binary}.`,
    '',
    ...listLines('By type', types, part.types.length),
    ...listLines('Largest', largest, largest.length),
    ...listLines(`TODO and FIXME (${numberText(part.marks.count)})`, marks, part.marks.count),
    ...codeLines(part.code),
    ...listLines('Folders', folders, folders.length),
    ...noteLines(part),
  ];
}

/** What a part is: its main types, what its files say, and else the names in it. */
export function whatOf({ types, quotes, subfolders }: PartReport): string {
  const names = subfolders.slice(0, 8).map((name) => prose(name, 40));
  const more = subfolders.length > names.length ? ', …' : '';
  const inside = quotes.length === 0 && names.length > 1 ? `Folders: ${names.join(', ')}${more}.` : '';
  return [kindOf(types), quotesText(quotes), inside].filter(isFilled).join(' ');
}

/** Empty if there is none. */
export function foldersText({ directories }: PartReport): string {
  return directories === 0 ? '' : ` in ${countText(directories, 'folder')}`;
}

export function sizeText({ files, lines, bytes }: Size): string {
  return `${countText(files, 'file')}, ${countText(lines, 'line')}, ${bytesText(bytes)}`;
}

export function codeLines({ files, packages, inside, reaches, exports }: PartReport['code']): string[] {
  if (files === 0) return [];
  const used = someOf(
    packages.map(({ name, files }) => `${code(name)} (${numberText(files)})`),
    12,
  );
  const reached = someOf(
    reaches.map(({ path, imports }) => `${code(path)} (${numberText(imports)})`),
    8,
  );
  const names = [...new Set(exports.first)].slice(0, 12).map(code);
  const more = exports.count > names.length ? ', …' : '';
  return [
    `- Imports: ${used === '' ? 'no packages' : used}; ${numberText(inside)} between its own files${reached === '' ? '' : `; from ${reached}`}`,
    ...(exports.count > 0 ? [`- Exports (${numberText(exports.count)}): ${names.join(', ')}${more}`] : []),
  ];
}

/** What could not be read or followed, and what did not go as planned. */
export function noteLines({ unreadable, symlinks, special, uncounted, remarks }: PartReport): string[] {
  const unreadableItems = unreadable.first.map(({ path, reason }) => `${code(path)} ${prose(reason)}`);
  const linkItems = symlinks.first.map(({ path, target }) => `${code(path)} to ${code(target)}`);
  const specialItems = special.first.map(({ path, what }) => `${code(path)} ${prose(what)}`);
  const uncountedItems = uncounted.first.map(({ path, bytes }) => `${code(path)} ${bytesText(bytes)}`);
  return [
    ...listLines(`Unreadable (${numberText(unreadable.count)})`, unreadableItems, unreadable.count),
    ...listLines(`Symbolic links, not followed (${numberText(symlinks.count)})`, linkItems, symlinks.count),
    ...listLines(`Special files, not opened (${numberText(special.count)})`, specialItems, special.count),
    ...listLines(`Too large to count lines (${numberText(uncounted.count)})`, uncountedItems, uncounted.count),
    ...remarks.map((remark) => `- ${prose(remark, 400)}`),
  ];
}

/** `count` is how many there are in all. */
export function listLines(title: string, items: readonly string[], count: number): string[] {
  if (count === 0) return [];
  const more = count - items.length;
  return [`- ${title}:`, ...items.map((item) => `  - ${item}`), ...(more > 0 ? [`  - … and ${numberText(more)} more`] : [])];
}

function someOf(items: readonly string[], max: number): string {
  return items.slice(0, max).join(', ') + (items.length > max ? ', …' : '');
}

function isFilled(text: string): boolean {
  return text !== '';
}
