/** What a tool returned, as plain JSON of bounded size: the log keeps it and the model reads it (N-1). */
import type { JsonValue } from '../../../sessions/json.ts';
import { isDeeperThan, levelsMax } from './json-depth.ts';

export interface StorableOutput {
  readonly output: JsonValue;
  readonly isError?: true;
}

/** Longer output becomes text: its first `bytesMax` bytes of UTF-8, cut between characters, and a line with the true size. */
export function storableOutput(value: unknown, bytesMax: number): StorableOutput {
  if (value === undefined) return { output: null };
  if (typeof value === 'string') return { output: cut(value, bytesMax) };
  const text = toJson(value);
  if (text === undefined) return refusal('not JSON');
  const shown = cut(text, bytesMax);
  if (shown !== text) return { output: shown };
  const output = JSON.parse(text) as JsonValue;
  return isDeeperThan(output, levelsMax) ? refusal(`nested more than ${levelsMax} levels deep`) : { output };
}

function refusal(reason: string): StorableOutput {
  return { output: `the tool ran, but what it returned is ${reason}`, isError: true };
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // A cycle, a bigint, a `toJSON` that throws, or far too deep: not JSON, which is what undefined says.
    return undefined;
  }
}

function cut(text: string, bytesMax: number): string {
  // No character of JavaScript needs more than three bytes.
  if (text.length * 3 <= bytesMax) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= bytesMax) return text;
  // encodeInto stops before a character that does not fit whole.
  const { read, written } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax));
  return `${text.slice(0, read)}\n[cut: ${written} of ${bytes} bytes shown]`;
}
