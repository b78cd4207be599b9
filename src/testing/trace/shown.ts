/** A value of a log that nobody has checked, for a sentence: turning an object into text can fail. */
export function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}
