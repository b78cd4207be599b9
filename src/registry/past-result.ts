/** Results of activations that are over, folded from their logs (P03). */
import { boundResult } from '../actors/envelope.ts';
import type { SubagentResult } from '../providers/contract.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { SessionEvent, SessionEventMap } from '../sessions/event.ts';
import { foldingSound } from '../sessions/fold.ts';
import type { JsonValue } from '../sessions/json.ts';

/** What an ended activation said, bounded like any result. */
export function captureEnd(
  end: SessionEventMap['activation/ended'],
  events: readonly SessionEvent[],
  bytesMax: number,
): SubagentResult {
  const { output, structured } = lastWords(events);
  return boundResult(
    {
      output,
      stopReason: end.stopReason,
      ...(structured !== undefined && { structured }),
      ...(end.diagnostic !== undefined && { diagnostic: end.diagnostic }),
    },
    bytesMax,
  );
}

/** How the last turn in a log ended, whatever was made of its activation since. Undefined if none has ended. */
export function lastTurnEnd(events: readonly SessionEvent[]): SessionEventMap['turn/ended'] | undefined {
  return events.findLast((event) => event.type === 'turn/ended')?.data;
}

/** Whole and uncut: the last assistant text of the last activation, and what it submitted. What a fork inherited is not its own. */
export function lastWords(events: readonly SessionEvent[]): {
  output: readonly ContentBlock[];
  structured?: JsonValue;
} {
  return foldingSound(() => foldWords(events));
}

function foldWords(events: readonly SessionEvent[]) {
  let output: readonly ContentBlock[] = [];
  let structured: JsonValue | undefined;
  let epoch: number | undefined;
  for (const event of events) {
    // its own descriptor is the first event behind a seed; a seal that a message overtook ends no activation, a crash does
    const isBirth = event.type === 'subagent/descriptor';
    if (isBirth || (event.type === 'turn/started' && event.data.epoch !== epoch)) {
      output = [];
      structured = undefined;
    }
    if (event.type === 'turn/started') epoch = event.data.epoch;
    if (event.type === 'result/submitted') structured = event.data.value;
    if (event.type !== 'assistant/message') continue;
    const text = event.data.content.filter((block) => block.type === 'text' && block.text !== '') as ContentBlock[];
    if (text.length > 0) output = text;
  }
  return { output, ...(structured !== undefined && { structured }) };
}
