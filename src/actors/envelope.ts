/** What leaves a child for its parent: bounded, and honest about what was cut. */
import type { SubagentResult } from '../providers/contract.ts';
import type { ContentBlock } from '../sessions/content.ts';
import { printableLines } from '../sessions/one-line.ts';
import type { Residency } from './residency.ts';

/** Bytes of UTF-8 that a diagnostic may have (S5.4). */
const diagnosticBytesMax = 4_096;

/** At most `bytesMax` bytes of UTF-8, cut between characters. */
export function cutText(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString();
}

/** It is shown to people: lines stay, control characters do not. */
export function cutDiagnostic(text: string): string {
  return cutText(printableLines(text.slice(0, diagnosticBytesMax)), diagnosticBytesMax);
}

/** The last assistant text, else what was streamed, else nothing (S5.1). */
export function wholeOutput(residency: Residency): readonly ContentBlock[] {
  if (residency.lastAssistant !== undefined) return residency.lastAssistant;
  return residency.streamed === '' ? [] : [{ type: 'text', text: residency.streamed }];
}

export function captureResult(residency: Residency, bytesMax: number): SubagentResult {
  const { stopReason, structured, diagnostic } = residency;
  return {
    ...boundOutput(wholeOutput(residency), bytesMax),
    stopReason,
    ...(structured !== undefined && { structured: structured.value }),
    ...(diagnostic !== undefined && stopReason !== 'completed' && { diagnostic: cutDiagnostic(diagnostic) }),
  };
}

/** Bounds what an external child says by the same rules. */
export function boundResult(result: SubagentResult, bytesMax: number): SubagentResult {
  const { output, truncated } = boundOutput(result.output, bytesMax);
  return {
    output,
    stopReason: result.stopReason,
    ...(truncated !== undefined && { truncated }),
    ...(result.structured !== undefined && { structured: result.structured }),
    ...(result.diagnostic !== undefined && result.stopReason !== 'completed' && { diagnostic: cutDiagnostic(result.diagnostic) }),
  };
}

function boundOutput(content: readonly ContentBlock[], bytesMax: number): Pick<SubagentResult, 'output' | 'truncated'> {
  let left = bytesMax;
  let totalBytes = 0;
  const output: ContentBlock[] = [];
  for (const block of content) {
    const text = block.type === 'text' ? block.text : block.data;
    const bytes = Buffer.byteLength(text);
    totalBytes += bytes;
    // without what a vendor hung on the block: it is of no size that anybody counted, and means nothing to another model
    if (bytes <= left) output.push(block.type === 'text' ? { type: 'text', text } : block);
    else if (block.type === 'text' && left > 0) output.push({ type: 'text', text: cutText(text, left) });
    left = Math.max(0, left - bytes);
  }
  return totalBytes <= bytesMax ? { output } : { output, truncated: { totalBytes } };
}
