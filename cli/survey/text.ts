/** Pieces of Markdown made of names and texts that nobody vouches for. */
import { printable } from '../terminal/printable.ts';

const numbers = new Intl.NumberFormat('en-US');

export function numberText(value: number): string {
  return numbers.format(value);
}

/** `1 file`, `2 files`. */
export function countText(count: number, noun: string): string {
  return `${numberText(count)} ${count === 1 ? noun : `${noun}s`}`;
}

export function bytesText(bytes: number): string {
  return countText(bytes, 'byte');
}

/** A path or word as Markdown code, on one line. */
export function code(text: string): string {
  const plain = printable(text, 300);
  const runs = plain.match(/`+/g) ?? [];
  const ticks = '`'.repeat(1 + Math.max(0, ...runs.map((run) => run.length)));
  const pad = plain.startsWith('`') || plain.endsWith('`') || plain === '' ? ' ' : '';
  return `${ticks}${pad}${plain}${pad}${ticks}`;
}

/** Text from a file as words of a sentence: on one line, of bounded length, without meaning to Markdown. */
export function prose(text: string, max = 200): string {
  return printable(text, max).replaceAll(/[\\`*_[\]<>|#~]/g, '\\$&');
}

/** Where a quotation is from, and what it says. */
export function quotesText(quotes: readonly { readonly file: string; readonly text: string }[]): string {
  return quotes.map(({ file, text }) => `${prose(file, 60)}: “${prose(text, 160)}”.`).join(' ');
}

/** Code in a table cell: a bar would end the cell. */
export function cell(text: string): string {
  return code(text).replaceAll('|', '\\|');
}
