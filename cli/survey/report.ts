/** The report of the top-level agent: Markdown for a person. */
import { findCommand, skippedNames } from '../workspace/workspace.ts';
import type { PartReport } from './part.ts';
import { answerQuestion } from './question.ts';
import { codeLines, foldersText, listLines, noteLines, partLines, sizeText, whatOf } from './report-part.ts';
import type { Survey } from './survey.ts';
import { bytesText, cell, code, countText, numberText, prose } from './text.ts';
import type { Watched } from './watched.ts';

export interface Asked {
  readonly question: string;
  readonly words: readonly string[];
}

export function renderReport(survey: Survey, asked: Asked | undefined, watched?: Watched): string {
  const { total, own, parts } = survey;
  const atTheTop = ofItself(own);
  const sections = [
    ['# Survey', '', summary(survey)],
    ...(asked === undefined ? [] : [['## The question', '', ...answerQuestion(asked.question, asked.words, total)]]),
    ...(parts.length === 0 ? [['## The folder', '', ...partLines(own)]] : [['## Parts', '', ...partTable(survey)]]),
    ...parts.map((part) => [`### ${titleOf(part)}`, '', ...partLines(part)]),
    ...(parts.length > 0 && own.files > 0 ? [['### Files at the top', '', ...partLines(atTheTop)]] : []),
    ['## Totals', '', ...totalLines(total)],
    ['## How this was counted', '', ...footer(survey, watched)],
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function summary({ total, parts }: Survey): string {
  if (total.files === 0) {
    return `The folder holds no files and ${total.directories === 0 ? 'no folders' : countText(total.directories, 'folder')}.`;
  }
  const people = parts.length === 0 ? 'one agent' : `${countText(total.agents, 'agent')}, ${countText(parts.length, 'part')}`;
  return `**${sizeText(total)}**${foldersText(total)}; surveyed by ${people}. ${whatOf(total)}`;
}

function titleOf({ paths }: PartReport): string {
  const [first = '', last = first] = [paths.at(0), paths.at(-1)];
  return paths.length === 1 ? code(first) : `${code(first)} to ${code(last)} (${countText(paths.length, 'folder')})`;
}

/** The files directly in a divided folder; its quotes and folders describe the whole. */
function ofItself(own: PartReport): PartReport {
  return { ...own, directories: 0, quotes: [], subfolders: [] };
}

function partTable({ own, parts }: Survey): string[] {
  const row = (name: string, part: PartReport) => {
    const counts = [part.files, part.lines, part.bytes, part.marks.count].map(numberText);
    return `| ${[name, ...counts, whatOf(part)].map((text) => text.replaceAll(/(?<!\\)\|/g, '\\|')).join(' | ')} |`;
  };
  return [
    '| part | files | lines | bytes | marks | what it is |',
    '|---|--:|--:|--:|--:|---|',
    ...parts.map((part) => row(titleOf(part), part)),
    ...(own.files > 0 ? [row('files at the top', ofItself(own))] : []),
  ];
}

function totalLines(total: PartReport): string[] {
  const row = (name: string, counts: readonly string[]) => `| ${[name, ...counts].join(' | ')} |`;
  const largest = total.largest.map(({ path, lines, bytes }) => `${code(path)} ${bytesText(bytes)}, ${countText(lines, 'line')}`);
  return [
    '| type | files | lines | bytes |',
    '|---|--:|--:|--:|',
    ...total.types.map(({ type, files, lines, bytes }) => row(cell(type), [files, lines, bytes].map(numberText))),
    row(
      '**all**',
      [total.files, total.lines, total.bytes].map((count) => `**${numberText(count)}**`),
    ),
    '',
    ...listLines('Largest files', largest, largest.length),
    `- TODO and FIXME marks: ${numberText(total.marks.count)}`,
    ...codeLines(total.code),
  ];
}

function footer({ total, parts }: Survey, watched: Watched | undefined): string[] {
  const { notSearched, unreadable, skipped, binaryFiles } = total;
  const places = skipped.count === 0 ? 'none here' : `here: ${countText(skipped.count, 'place')}`;
  const notes = parts.length === 0 ? [] : noteLines(total);
  return [
    'This report was made by the embedded rule-based model: it counts and quotes, and judges nothing.',
    '',
    `Left out: ${skippedNames.map(code).join(', ')} (${places}).`,
    `Lines are newline bytes, as \`wc -l\` counts them, in binary files too (${numberText(binaryFiles)}).`,
    ...(unreadable.count > 0 ? ['Unreadable files count as files, but not in lines and bytes.'] : []),
    `Marks and words were not looked for in ${countText(notSearched.binary, 'binary file')}, ${countText(notSearched.tooLarge, 'file')} over 4 MiB and ${countText(notSearched.unreadable, 'unreadable file')}.`,
    'Imports and exports are judged line by line, not by a parser.',
    ...watchLines(watched),
    '',
    'The same set of files:',
    '',
    '```sh',
    `${findCommand} | xargs -0 cat | wc`,
    '```',
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ];
}

/** What changed while it was counted; a change in what had been counted before is not in the numbers. */
function watchLines(watched: Watched | undefined): string[] {
  switch (watched?.kind) {
    case 'refused':
      return [`The folder was not watched for changes meanwhile: ${prose(watched.reason)}.`];
    case 'over': {
      const { changed, more } = watched.findings;
      if (changed.length + more === 0) return ['No change was seen in the folder while it was surveyed.'];
      const items = changed.map(({ path, isCounted }) => `${code(path)}${isCounted ? ' after its part had been counted' : ''}`);
      return [
        '',
        ...listLines(`Changed while the survey ran (${numberText(changed.length + more)})`, items, changed.length + more),
        '',
      ];
    }
    default:
      return [];
  }
}
