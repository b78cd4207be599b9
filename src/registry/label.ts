import { SubagentError } from '../errors.ts';
import { oneLine } from '../sessions/one-line.ts';

const labelCharactersMax = 200;

/** One line without control characters. Throws `INVALID_ARGUMENT` for none, an empty one, or one of over 200 characters. */
export function cleanLabel(label: unknown): string {
  if (typeof label !== 'string') throw new SubagentError('INVALID_ARGUMENT', 'a label is a text');
  const clean = oneLine(label);
  if (clean === '' || clean.length > labelCharactersMax) {
    throw new SubagentError('INVALID_ARGUMENT', `a label has 1 to ${labelCharactersMax} printable characters`);
  }
  return clean;
}
