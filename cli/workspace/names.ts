/**
 * File names are bytes; a name that is not UTF-8 keeps each odd byte as one of U+DC80 to U+DCFF (the "surrogateescape" of
 * PEP 383). So every name has exactly one string, and that string finds the file again, also after a trip through JSON.
 */
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function decodeName(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? decodeByteByByte(bytes) : text;
}

export function encodeName(name: string): Buffer {
  if (name.isWellFormed()) return Buffer.from(name);
  const pieces = Array.from(name, (character) => {
    const code = character.charCodeAt(0);
    return isEscapedByte(code) && character.length === 1 ? Buffer.from([code - 0xdc00]) : Buffer.from(character);
  });
  return Buffer.concat(pieces);
}

export function isEscapedByte(code: number): boolean {
  return code >= 0xdc80 && code <= 0xdcff;
}

function decodeByteByByte(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const character = characterAt(bytes, at);
    text += character ?? String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
    at += character === undefined ? 1 : Buffer.byteLength(character);
  }
  return text;
}

function characterAt(bytes: Buffer, at: number): string | undefined {
  const lead = bytes[at] ?? 0;
  const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  try {
    return strictDecoder.decode(bytes.subarray(at, at + length));
  } catch {
    // Only "not UTF-8" can arrive here; the caller keeps the byte as it is.
    return undefined;
  }
}
