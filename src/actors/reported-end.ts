/** How drivers and providers say that something ended, checked at the border: they are other people's code. */
import type { TurnEnd } from '../agents/driver.ts';
import { checkedBlock } from '../agents/message-check.ts';
import { checkStructured } from '../agents/output-schema.ts';
import { SubagentError } from '../errors.ts';
import type { SubagentResult } from '../providers/contract.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { SubagentStopReason } from '../sessions/event.ts';
import type { JsonObject, JsonValue } from '../sessions/json.ts';
import { fieldsOf, listOf } from '../sessions/outside.ts';
import { cutDiagnostic } from './envelope.ts';

/** A reason ends up in logs, events and terminals. Which words the host has added to the map is not known here. */
const reasonPattern = /^[a-z][a-z0-9_-]{0,63}$/;

/** Throws if it is no end of a turn at all. */
export function checkedEnd(end: unknown): TurnEnd {
  const { stopReason, diagnostic } = read(end, ['stopReason', 'diagnostic'], 'the driver did not say how its turn ended');
  return endOf(stopReason, diagnostic);
}

/**
 * What an external child ended with: known fields only. A structured value counts only if one was asked for and it satisfies
 * the schema; a completed end without one is no completed end (S5.3). Throws `PROVIDER_FAILED` for what is no result.
 */
export function checkedResult(result: unknown, schema: JsonObject | undefined): SubagentResult {
  const fields = ['output', 'stopReason', 'diagnostic', 'structured'] as const;
  const { output, stopReason, diagnostic, structured } = read(result, fields, noResult);
  const said = { output: checkedOutput(output), ...endOf(stopReason, diagnostic) };
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

/** Empty texts say nothing, and there could be any number of them. */
function checkedOutput(output: unknown): ContentBlock[] {
  try {
    return listOf(output, 'the output', checkedBlock).filter((block) => block.type !== 'text' || block.text !== '');
  } catch (fault) {
    throw new SubagentError('PROVIDER_FAILED', noResult, { cause: fault });
  }
}

function satisfying(schema: JsonObject, structured: unknown): { readonly value: JsonValue } | 'invalid' {
  try {
    return { value: checkStructured(schema, structured) };
  } catch {
    return 'invalid'; // checkStructured throws for nothing else
  }
}

/** What a capture failure is called, whatever it was. */
export const captureFailed = 'the provider failed to say how its run ended';
const noResult = 'the provider ended its run with something that is no result';

function read<Name extends string>(value: unknown, names: readonly Name[], otherwise: string) {
  try {
    return fieldsOf(value, names, 'what it ended with');
  } catch (fault) {
    throw new SubagentError('PROVIDER_FAILED', otherwise, { cause: fault });
  }
}
