/** Turns a question into words to look for, and what was found into an answer. Rules only: nothing here understands the question. */
import { wordsMax } from '../workspace/search.ts';
import { kindOf } from './evidence.ts';
import type { Hits, PartReport } from './part.ts';
import { foldersText, sizeText, whatOf } from './report-part.ts';
import { bytesText, code, countText, prose, quotesText } from './text.ts';

/** Words that carry no meaning of their own in a question about a folder. */
const commonWords = new Set(
  (
    'a about all also an and any are as ask at be been but by can could did do does each for from get give had has have how i if in ' +
    'into is it its list made make many me mean most much my no not of on or other our out please say see show should so some tell ' +
    'than that the their them then there these they thing things this those to use used uses using was we were what when where which ' +
    'who why will with without would you your file files folder folders directory code project repo repository part parts tree ' +
    'find line lines work works'
  ).split(' '),
);

/** Quoted phrases first, then the words that mean something, without repeats. Empty if there is none. */
export function wordsOf(question: string): string[] {
  const quoted = [...question.matchAll(/["“`']([^"”`'\n]{2,80})["”`']/g)].map((match) => (match[1] ?? '').trim());
  const rest = question.replaceAll(/["“`']([^"”`'\n]{2,80})["”`']/g, ' ');
  const plain = rest.match(/[\p{L}\p{N}_$@][\p{L}\p{N}_$@./:-]*/gu) ?? [];
  const trimmed = plain.map((word) => word.replace(/[./:-]+$/, ''));
  const words = [...quoted, ...trimmed].filter((word) => word.length >= 3 && !commonWords.has(word.toLowerCase()));
  const seen = new Map(words.map((word) => [word.toLowerCase(), word]));
  return [...seen.values()].slice(0, Math.min(8, wordsMax));
}

/** Markdown lines. */
export function answerQuestion(question: string, words: readonly string[], total: PartReport): string[] {
  const lines = [`> ${prose(question, 400)}`, ''];
  lines.push('_The embedded model is rule based: it looks for the words of a question, and does not understand it._', '');
  const rules = answersByRule(question, total);
  lines.push(...rules);
  if (total.hits !== undefined) lines.push(...hitLines(words, total.hits));
  else if (rules.length === 0) lines.push(...whatIsHere(total));
  return lines;
}

const partsMax = 12;

/** For a question without a word to look for. */
function whatIsHere(total: PartReport): string[] {
  const { files, folders, subfolders } = total;
  const parts = folders.slice(0, partsMax).map((row) => {
    const said = quotesText(row.quotes.slice(0, 1));
    return `  - ${code(row.path)} ${sizeText(row)}${said === '' ? '' : ` — ${said}`}`;
  });
  const named = subfolders.slice(0, partsMax).map(code).join(', ');
  return [
    'The question has no word to look for, so this is what the survey knows. Ask with a name, a term or a "quoted phrase" for more.',
    '',
    files === 0 ? '- No files.' : `- ${whatOf(total)}`,
    `- ${sizeText(total)}${foldersText(total)}.`,
    ...(parts.length > 0 ? ['- Its parts:', ...parts] : []),
    ...(folders.length > partsMax ? [`  - … and ${folders.length - partsMax} more`] : []),
    ...(parts.length === 0 && named !== '' ? [`- Folders: ${named}.`] : []),
  ];
}

/** Some questions are about what was measured anyway. */
function answersByRule(question: string, total: PartReport): string[] {
  const asks = (pattern: RegExp) => pattern.test(question);
  const lines: string[] = [];
  if (asks(/\b(?:how (?:many|much|big|large|long)|size|count|total|bytes)\b/i)) {
    lines.push(`- ${countText(total.files, 'file')}, ${countText(total.lines, 'line')}, ${bytesText(total.bytes)}.`);
  }
  if (asks(/\b(?:largest|biggest|longest|huge|size)\b/i)) {
    const files = total.largest.slice(0, 5).map(({ path, bytes }) => `${code(path)} (${bytesText(bytes)})`);
    lines.push(`- Largest files: ${files.join(', ')}.`);
  }
  if (asks(/\b(?:todos?|fixmes?|marks?|unfinished|open work)\b/i)) {
    const first = total.marks.first.slice(0, 5).map(({ path, line }) => code(`${path}:${line}`));
    lines.push(
      `- ${countText(total.marks.count, 'TODO or FIXME mark')}${first.length > 0 ? `, the first: ${first.join(', ')}` : ''}.`,
    );
  }
  if (asks(/\b(?:imports?|exports?|depend\w*|packages?|librar\w+)\b/i)) {
    const packages = total.code.packages.slice(0, 10).map(({ name, files }) => `${code(name)} (${countText(files, 'file')})`);
    lines.push(`- Packages imported most: ${packages.length > 0 ? packages.join(', ') : 'none'}.`);
  }
  if (asks(/\b(?:language|languages|written in|type|types)\b/i)) lines.push(`- ${kindOf(total.types)}`);
  return lines;
}

function hitLines(words: readonly string[], hits: Hits): string[] {
  const counts = hits.byWord.map(({ word, lines }) => `${code(word)} ${countText(lines, 'line')}`);
  const found = `${countText(hits.lines, 'line')} in ${countText(hits.files, 'file')}`;
  const inside = !hits.isWhole && hits.lines > 0 ? 'nowhere as a whole word; inside words ' : '';
  const lines = [
    `- Looked for ${words.map(code).join(', ')}: ${inside}${found}${words.length > 1 ? ` (${counts.join(', ')})` : ''}.`,
  ];
  if (hits.best.length > 0) lines.push('- Files that match best, each with its fullest line:');
  for (const { path, words: matched, lines: matching, line, text } of hits.best) {
    const share = words.length > 1 ? `${matched} of ${countText(words.length, 'word')}, ` : '';
    lines.push(`  - ${code(`${path}:${line}`)} ${share}${countText(matching, 'line')}: ${code(text)}`);
  }
  if (hits.names.count > 0) {
    const more = hits.names.count > hits.names.first.length ? ', …' : '';
    lines.push(`- Names that match: ${hits.names.first.map(code).join(', ')}${more}.`);
  }
  if (hits.lines === 0 && hits.names.count === 0) lines.push('- None of these words occurs here.');
  return lines;
}
