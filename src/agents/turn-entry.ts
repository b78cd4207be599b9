/** What a driver records, checked and copied at the border: a log that once held rubbish could never be read to its end again. */
import { SubagentError } from '../errors.ts';
import type { AssistantBlock, ToolResultBlock } from '../sessions/content.ts';
import type { JsonObject } from '../sessions/json.ts';
import { jsonCopy } from '../sessions/json-copy.ts';
import { listOf, reading } from '../sessions/outside.ts';
import type { Usage } from '../sessions/usage.ts';
import type { TurnDelta, TurnEntry } from './driver.ts';

/** What may be in a field before it was looked at. */
type Fields = Readonly<Record<string, unknown>>;

/** Throws `INVALID_ARGUMENT` for what is no entry of a turn. A count of tokens that is no number of 0 or more is left out. */
export function checkedEntry(given: unknown): TurnEntry {
  return reading('an entry of a turn', () => {
    const { role, content, usage, model } = objectOf(given, 'an entry of a turn');
    if (role === 'tool') return { role, content: listOf(content, 'the content of an entry', checkedResultBlock) };
    if (role !== 'assistant') throw invalid('an entry of a turn is that of an assistant or of a tool');
    if (model !== undefined && typeof model !== 'string') throw invalid('the model of an entry is a name');
    return {
      role,
      content: listOf(content, 'the content of an entry', checkedAssistantBlock),
      ...(usage !== undefined && { usage: checkedUsage(usage) }),
      ...(model !== undefined && { model }),
    };
  });
}

/** Throws `INVALID_ARGUMENT` for what a model cannot have said while it was saying it. */
export function checkedDelta(given: unknown): TurnDelta {
  return reading('a piece of a stream', () => {
    const { type, text, callId, toolName } = objectOf(given, 'a piece of a stream');
    if ((type === 'text' || type === 'reasoning') && typeof text === 'string') return { type, text };
    if (type === 'tool-call' && typeof callId === 'string' && typeof toolName === 'string') return { type, callId, toolName };
    throw invalid('a piece of a stream is text, reasoning or a tool call');
  });
}

function checkedAssistantBlock(block: unknown): AssistantBlock {
  const { type, text, callId, toolName, input, vendor: given } = objectOf(block, 'a block');
  const vendor = given === undefined ? undefined : { vendor: checkedVendor(given) };
  if ((type === 'text' || type === 'reasoning') && typeof text === 'string') return { type, text, ...vendor };
  if (type === 'tool-call' && isName(callId) && typeof toolName === 'string')
    return { type, callId, toolName, input: jsonCopy(input, 'the input of a call'), ...vendor };
  throw invalid('a block of an assistant is text, reasoning or a tool call');
}

function checkedResultBlock(block: unknown): ToolResultBlock {
  const { type, callId, toolName, output, isError, isInterrupted } = objectOf(block, 'a tool result');
  if (type !== 'tool-result' || !isName(callId) || typeof toolName !== 'string' || !areFlags(isError, isInterrupted))
    throw invalid('a tool result names its call and its tool');
  return {
    ...{ type, callId, toolName, output: jsonCopy(output, 'the output of a tool') },
    ...(typeof isError === 'boolean' && { isError }),
    ...(typeof isInterrupted === 'boolean' && { isInterrupted }),
  };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function areFlags(...flags: readonly unknown[]): boolean {
  return flags.every((flag) => flag === undefined || typeof flag === 'boolean');
}

function checkedVendor(given: unknown): JsonObject {
  const vendor = jsonCopy(given, 'what a vendor attached');
  if (typeof vendor === 'object' && vendor !== null && !Array.isArray(vendor)) return vendor as JsonObject;
  throw invalid('what a vendor attached is an object');
}

function checkedUsage(given: unknown): Usage {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = objectOf(given, 'the usage of an entry');
  return {
    ...(isCount(inputTokens) && { inputTokens }),
    ...(isCount(outputTokens) && { outputTokens }),
    ...(isCount(cachedInputTokens) && { cachedInputTokens }),
    ...(isCount(reasoningTokens) && { reasoningTokens }),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** To be taken apart at once, so that each field is read once. What that throws is the caller's to tell. */
function objectOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null) return value as Fields;
  throw invalid(`${what} is an object`);
}

function invalid(what: string): SubagentError {
  return new SubagentError('INVALID_ARGUMENT', what);
}
