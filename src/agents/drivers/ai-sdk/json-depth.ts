/** As deep as the log takes it. */
export { levelsMax } from '../../../sessions/json-copy.ts';

/** Whether parsed JSON holds arrays or objects nested more than `levels` deep. For trees only: it does not notice a cycle. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

/** The same for JSON that is still a text, which may be nested deeper than any parser of it can bear. */
export function isTextDeeperThan(text: string, levels: number): boolean {
  if (text.length <= levels) return false;
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (isInString) {
      if (character === '\\') index++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '[' || character === '{') {
      depth++;
      if (depth > levels) return true;
    } else if (character === ']' || character === '}') depth--;
  }
  return false;
}
