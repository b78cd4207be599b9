/** Checks content from outside once, at the border, and says how large it is. */
import { SubagentError } from '../errors.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { Limits } from './limits.ts';

/**
 * The size of `content` in bytes of UTF-8. Throws `INVALID_ARGUMENT` unless it is a list of text and image blocks of plain
 * strings that says something, and `MESSAGE_TOO_LARGE` over the limit.
 */
export function checkContent(content: unknown, limits: Limits): number {
  if (!Array.isArray(content) || content.length === 0) throw invalid('content is a non-empty list of blocks');
  let bytes = 0;
  for (const block of content as readonly unknown[]) bytes += blockBytes(block);
  if (!content.some(saysSomething)) throw invalid('content has a text that is not empty, or an image');
  if (bytes > limits.messageBytes) {
    throw new SubagentError('MESSAGE_TOO_LARGE', `the message has ${bytes} bytes; at most ${limits.messageBytes} are taken`);
  }
  return bytes;
}

/** The size of content that was checked before. */
export function contentBytes(content: readonly ContentBlock[]): number {
  let bytes = 0;
  for (const block of content) bytes += blockBytes(block);
  return bytes;
}

export function hasImages(content: readonly ContentBlock[]): boolean {
  return content.some((block) => block.type === 'image');
}

/** A copy with the known fields only, so that nothing the caller changes later reaches the log. */
export function copyContent(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.map((block) =>
    block.type === 'text' ? { type: 'text', text: block.text } : { type: 'image', mediaType: block.mediaType, data: block.data },
  );
}

function saysSomething(block: ContentBlock): boolean {
  return block.type === 'image' || block.text !== '';
}

function blockBytes(block: unknown): number {
  if (typeof block !== 'object' || block === null) throw invalid('a block is an object');
  const { type, text, mediaType, data } = block as Record<string, unknown>;
  if (type === 'text' && typeof text === 'string') return Buffer.byteLength(text);
  if (type === 'image' && typeof mediaType === 'string' && typeof data === 'string') return data.length + mediaType.length;
  throw invalid('a block is { type: "text", text } or { type: "image", mediaType, data }');
}

function invalid(what: string): SubagentError {
  return new SubagentError('INVALID_ARGUMENT', what);
}
