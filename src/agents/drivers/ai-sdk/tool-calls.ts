/**
 * Runs the tool calls of one answer side by side and gives each exactly one result, recorded as soon as it is there, so
 * that a crash repeats none that had ended.
 */
import type { ToolResultBlock } from '../../../sessions/content.ts';
import { interruptedResult } from '../../../sessions/transcript.ts';
import type { Turn } from '../../driver.ts';
import { unlessAborted } from './abort.ts';
import type { OfferedTool, ToolOffer } from './offer.ts';
import type { ModelCall } from './reply.ts';
import { type StorableOutput, storableOutput } from './tool-output.ts';

export interface CallContext {
  readonly turn: Turn;
  /** Of the committed answer that makes the calls. */
  readonly seq: number;
  readonly offer: ToolOffer;
  readonly bytesMax: number;
}

/** In the order of the calls. Rejects only with what the log rejects with, after all calls have ended. */
export async function runCalls(calls: readonly ModelCall[], context: CallContext): Promise<ToolResultBlock[]> {
  const ended = await Promise.allSettled(calls.map((call) => runAndRecord(call, context)));
  return ended.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}

async function runAndRecord(call: ModelCall, context: CallContext): Promise<ToolResultBlock> {
  const result = await runCall(call, context);
  await context.turn.record({ role: 'tool', content: [result] });
  return result;
}

async function runCall(call: ModelCall, context: CallContext): Promise<ToolResultBlock> {
  const { signal } = context.turn;
  const offered = context.offer.byName.get(call.block.toolName);
  if (signal.aborted) return interruptedResult(call.block);
  const work = outcomeOf(call, offered, context);
  const outcome = offered?.isResultTool === true ? await work : await unlessAborted(work, signal);
  if (outcome === 'aborted') return interruptedResult(call.block);
  const { callId, toolName } = call.block;
  return { type: 'tool-result', callId, toolName, ...outcome };
}

async function outcomeOf(call: ModelCall, offered: OfferedTool | undefined, context: CallContext): Promise<StorableOutput> {
  const { turn, seq, bytesMax } = context;
  const { input, callId, toolName } = call.block;
  const problem = offered === undefined ? noSuchTool(toolName, context.offer) : (call.inputProblem ?? offered.check(input));
  if (offered === undefined || problem !== undefined) return failure(`the tool was not run: ${problem}`, bytesMax);
  try {
    const idempotencyKey = `${turn.header.id}:${seq}:${callId}`;
    const value = await offered.tool.execute(input, { agent: turn.agent, signal: turn.signal, callId, idempotencyKey });
    return storableOutput(value, bytesMax);
  } catch (error) {
    return failure(messageOf(error), bytesMax);
  }
}

function failure(message: string, bytesMax: number): StorableOutput {
  return { output: storableOutput(message, bytesMax).output, isError: true };
}

function noSuchTool(toolName: string, { byName }: ToolOffer): string {
  const names = [...byName.keys()];
  return `there is no tool named "${toolName}"; ${names.length === 0 ? 'there are no tools' : `the tools are ${names.join(', ')}`}`;
}

/** A tool may throw anything, also what cannot be looked at. */
function messageOf(error: unknown): string {
  try {
    const message = error instanceof Error ? error.message : error;
    if (typeof message === 'string' && message !== '') return message;
  } catch {
    // its own getters threw: it has no words
  }
  return 'the tool failed without a message';
}
