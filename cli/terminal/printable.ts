/**
 * Any text as one line that is safe to show: control characters, line breaks and the marks that reorder text become
 * spaces or nothing, bytes that were no text become `\xNN`, and what is longer than `max` characters is cut with `…`.
 */
export function printable(text: string, max = 200): string {
  const clean = text
    .slice(0, max * 4)
    .replaceAll(/[\s\u2028\u2029]+/g, ' ')
    .replaceAll(unsafe, '')
    .replaceAll(/[\udc80-\udcff]/gu, (byte) => `\\x${(byte.charCodeAt(0) - 0xdc00).toString(16)}`)
    .toWellFormed()
    .trim();
  const characters = Array.from(clean);
  return characters.length <= max ? clean : `${characters.slice(0, max - 1).join('')}…`;
}

/** Control characters (C0, C1, DEL), and invisible format characters such as those that turn the direction of text. */
const unsafe = /[\p{Cc}\p{Cf}]/gu;

/** Text of many lines that is safe to show: the same without the cut, line breaks and tabs kept. */
export function printableText(text: string): string {
  return text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(/[^\n\t\P{Cc}]|\p{Cf}/gu, '')
    .toWellFormed();
}
