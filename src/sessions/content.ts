/** What messages are made of. Blocks are plain JSON; a block is never changed after it was written. */
import type { JsonObject, JsonValue } from './json.ts';

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  /** What a model vendor attached to the block and wants to see again. Opaque. */
  readonly vendor?: JsonObject;
}
export interface ImageBlock {
  readonly type: 'image';
  /** An IANA media type, `image/png` say. */
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}
export interface ReasoningBlock {
  readonly type: 'reasoning';
  readonly text: string;
  readonly vendor?: JsonObject;
}
export interface ToolCallBlock {
  readonly type: 'tool-call';
  readonly callId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  readonly vendor?: JsonObject;
}
export interface ToolResultBlock {
  readonly type: 'tool-result';
  readonly callId: string;
  readonly toolName: string;
  readonly output: JsonValue;
  readonly isError?: boolean;
  /** True for a result that the runtime wrote because the call was cut off; the tool may or may not have run. */
  readonly isInterrupted?: boolean;
}
/** What a person, an agent or the runtime may put into a message. */
export type ContentBlock = TextBlock | ImageBlock;
/** What a model may produce. */
export type AssistantBlock = TextBlock | ReasoningBlock | ToolCallBlock;

/** One entry of the history that a model is shown. Every call in an assistant entry has one result in a later tool entry. */
export type TranscriptEntry =
  | { readonly role: 'user'; readonly content: readonly ContentBlock[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] }
  | { readonly role: 'tool'; readonly content: readonly ToolResultBlock[] };

/** The text of all text blocks, joined without a separator. */
export function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  let text = '';
  for (const block of content) if (block.type === 'text') text += block.text ?? '';
  return text;
}
