/** How drivers and providers say that something ended, checked at the border: they are other people's code. */
import type { TurnEnd } from '../agents/driver.ts';
import { checkStructured } from '../agents/output-schema.ts';
import { SubagentError } from '../errors.ts';
import type { SubagentResult } from '../providers/contract.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { SubagentStopReason } from '../sessions/event.ts';
import type { JsonObject, JsonValue } from '../sessions/json.ts';
import { cutDiagnostic } from './envelope.ts';

/** A reason ends up in logs, events and terminals. Which words the host has added to the map is not known here. */
const reasonPattern = /^[a-z][a-z0-9_-]{0,63}$/;

/** Throws if it is no end of a turn at all. */
export function checkedEnd(end: unknown): TurnEnd {
  if (typeof end !== 'object' || end === null)
    throw new SubagentError('PROVIDER_FAILED', 'the driver did not say how its turn ended');
  const { stopReason, diagnostic } = end as Partial<TurnEnd>;
  return endOf(stopReason, diagnostic);
}

/**
 * What an external child ended with: known fields only. A structured value counts only if one was asked for and it satisfies
 * the schema; a completed end without one is no completed end (S5.3). Throws `PROVIDER_FAILED` for what is no result.
 */
export function checkedResult(result: unknown, schema: JsonObject | undefined): SubagentResult {
  if (typeof result !== 'object' || result === null) throw notAResult();
  const { output, stopReason, diagnostic, structured } = result as Partial<SubagentResult>;
  if (!Array.isArray(output)) throw notAResult();
  const said = { output: output.map(checkedBlock), ...endOf(stopReason, diagnostic) };
  if (schema === undefined) return said;
  const value = structured === undefined ? 'missing' : satisfying(schema, structured);
  if (typeof value === 'object') return { ...said, structured: value.value };
  return said.stopReason === 'completed' ? { ...said, stopReason: 'error', diagnostic: `structured result ${value}` } : said;
}

function endOf(stopReason: unknown, diagnostic: unknown): TurnEnd {
  const reason = typeof stopReason === 'string' && reasonPattern.test(stopReason) ? (stopReason as SubagentStopReason) : 'error';
  if (reason === 'completed' || typeof diagnostic !== 'string' || diagnostic === '') return { stopReason: reason };
  return { stopReason: reason, diagnostic: cutDiagnostic(diagnostic) };
}

function checkedBlock(block: unknown): ContentBlock {
  const { type, text, mediaType, data } = (block ?? {}) as Record<string, unknown>;
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (type === 'image' && typeof mediaType === 'string' && typeof data === 'string') return { type, mediaType, data };
  throw notAResult();
}

function satisfying(schema: JsonObject, structured: JsonValue): { readonly value: JsonValue } | 'invalid' {
  try {
    return { value: checkStructured(schema, structured) };
  } catch {
    return 'invalid'; // checkStructured throws for nothing else
  }
}

function notAResult(): SubagentError {
  return new SubagentError('PROVIDER_FAILED', 'the provider ended its run with something that is no result');
}
