/** Takes content from outside once, at the border: checked, copied and counted in one reading. */
import { SubagentError } from '../errors.ts';
import type { ContentBlock } from '../sessions/content.ts';
import { fieldsOf, listOf } from '../sessions/outside.ts';
import type { Limits } from './limits.ts';

export interface CheckedContent {
  /** A copy with the known fields only: nothing that the caller changes later reaches the log. */
  readonly content: readonly ContentBlock[];
  /** Of UTF-8. */
  readonly bytes: number;
}

/** An empty block has no bytes, so that bytes alone would not bound a message. */
const blocksMax = 1_000;

/**
 * Throws `INVALID_ARGUMENT` unless `content` is a list of at most 1,000 text and image blocks of plain strings that says
 * something, and `MESSAGE_TOO_LARGE` over the limit of bytes.
 */
export function checkContent(content: unknown, limits: Limits): CheckedContent {
  const blocks = listOf(content, 'content', checkedBlock, blocksMax);
  if (!blocks.some(saysSomething)) throw invalid('content has a text that is not empty, or an image');
  const bytes = contentBytes(blocks);
  if (bytes > limits.messageBytes) {
    throw new SubagentError('MESSAGE_TOO_LARGE', `the message has ${bytes} bytes; at most ${limits.messageBytes} are taken`);
  }
  return { content: blocks, bytes };
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

function saysSomething(block: ContentBlock): boolean {
  return block.type === 'image' || block.text !== '';
}

/** A copy of a text or image block. Throws `INVALID_ARGUMENT` for anything else. */
export function checkedBlock(block: unknown): ContentBlock {
  const { type, text, mediaType, data } = fieldsOf(block, ['type', 'text', 'mediaType', 'data'], 'a block');
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (type === 'image' && typeof mediaType === 'string' && typeof data === 'string') return { type, mediaType, data };
  throw invalid('a block is { type: "text", text } or { type: "image", mediaType, data }');
}

function blockBytes(block: ContentBlock): number {
  if (block.type === 'text') return Buffer.byteLength(block.text);
  return Buffer.byteLength(block.data) + Buffer.byteLength(block.mediaType);
}

function invalid(what: string): SubagentError {
  return new SubagentError('INVALID_ARGUMENT', what);
}
