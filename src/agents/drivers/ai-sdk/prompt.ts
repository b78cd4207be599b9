/** The history as the AI SDK wants it. What a vendor attached to a block goes back to it as provider options. */
import type { AssistantContent, ModelMessage, ProviderMetadata, ToolContent, UserContent } from 'ai';
import type { AssistantBlock, ContentBlock, ToolResultBlock, TranscriptEntry } from '../../../sessions/content.ts';
import type { JsonObject, JsonValue } from '../../../sessions/json.ts';

type Parts<Content> = Exclude<Content, string>;
type AssistantPart = Parts<AssistantContent>[number];
type ToolOutput = Extract<ToolContent[number], { type: 'tool-result' }>['output'];
type SdkJson = Extract<ToolOutput, { type: 'json' }>['value'];

/** An entry without content has no message: providers refuse empty ones. */
export function toModelMessages(entries: readonly TranscriptEntry[]): ModelMessage[] {
  return entries.filter(({ content }) => content.length > 0).map(toModelMessage);
}

function toModelMessage(entry: TranscriptEntry): ModelMessage {
  switch (entry.role) {
    case 'user':
      return { role: 'user', content: entry.content.map(toUserPart) };
    case 'assistant':
      return { role: 'assistant', content: entry.content.map(toAssistantPart) };
    case 'tool':
      return { role: 'tool', content: entry.content.map(toResultPart) };
  }
}

function toUserPart(block: ContentBlock): Parts<UserContent>[number] {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, ...vendorOf(block) };
    case 'image':
      // The SDK deprecates image parts. The tag keeps it from reading base64 as an address.
      return { type: 'file', mediaType: block.mediaType, data: { type: 'data', data: block.data } };
  }
}

function toAssistantPart(block: AssistantBlock): AssistantPart {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return { type: block.type, text: block.text, ...vendorOf(block) };
    case 'tool-call': {
      const { callId: toolCallId, toolName, input } = block;
      return { type: 'tool-call', toolCallId, toolName, input: isObject(input) ? input : {}, ...vendorOf(block) };
    }
  }
}

function toResultPart(block: ToolResultBlock): ToolContent[number] {
  return { type: 'tool-result', toolCallId: block.callId, toolName: block.toolName, output: toOutput(block) };
}

function toOutput({ output, isError = false }: ToolResultBlock): ToolOutput {
  if (typeof output === 'string') return { type: isError ? 'error-text' : 'text', value: output };
  return { type: isError ? 'error-json' : 'json', value: output as SdkJson };
}

/** Input that was no JSON object was answered with an error; the record keeps it, but providers take objects only. */
function isObject(input: JsonValue): boolean {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

function vendorOf({ vendor }: { readonly vendor?: JsonObject }): { providerOptions?: ProviderMetadata } {
  return vendor === undefined ? {} : { providerOptions: vendor as ProviderMetadata };
}
