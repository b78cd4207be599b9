import { SubagentError } from '../errors.ts';

const labelCharactersMax = 200;
// C0 and C1 controls, line and paragraph separators, and what turns the direction of text: a label ends up in terminals and pages
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** One line without control characters. Throws `INVALID_ARGUMENT` for none, an empty one, or one of over 200 characters. */
export function cleanLabel(label: unknown): string {
  if (typeof label !== 'string') throw new SubagentError('INVALID_ARGUMENT', 'a label is a text');
  const clean = oneLine(label);
  if (clean === '' || clean.length > labelCharactersMax) {
    throw new SubagentError('INVALID_ARGUMENT', `a label has 1 to ${labelCharactersMax} printable characters`);
  }
  return clean;
}

/** The same for a label that is there already. */
export function oneLine(label: string): string {
  return label.replace(unsafe, ' ').trim();
}
