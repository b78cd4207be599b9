/** Text of others as part of a line that a person or a model reads: a name, an id, a key. */

/**
 * C0 and C1 controls, line and paragraph separators, what turns the direction of text, and what cannot be seen at all and so can
 * say something to a model that its reader does not see. Joiners stay: scripts and emoji need them.
 */
const unsafe =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const charactersMax = 80;

/** One line without control characters. */
export function oneLine(text: string): string {
  return text.replace(unsafe, ' ').trim();
}

/** The same for text of many lines, which keeps its line feeds and tabs. */
export function printableLines(text: string): string {
  return text.replace(unsafe, (character) => (character === '\n' || character === '\t' ? character : ' ')).toWellFormed();
}

/** Whatever was given as a name, to be repeated in an error: in quotes, one line, cut. */
export function quoted(name: unknown): string {
  if (typeof name !== 'string') return `a ${name === null ? 'null' : typeof name}`;
  return `"${shortened(name)}"`;
}

/** One line of at most `max` characters, and `…` if there were more. */
export function shortened(text: string, max = charactersMax): string {
  const line = oneLine(text.slice(0, max + 1)).toWellFormed();
  return text.length <= max ? line : `${line.slice(0, max).toWellFormed()}…`;
}
