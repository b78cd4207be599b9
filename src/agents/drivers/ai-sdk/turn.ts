/** One turn: steps until the model is done, somebody stops it, or a limit is reached. The invariants are in ../ai-sdk.ts. */
import type { LanguageModel, ModelMessage } from 'ai';
import { SubagentError } from '../../../errors.ts';
import type { ToolResultBlock } from '../../../sessions/content.ts';
import type { JsonObject } from '../../../sessions/json.ts';
import { toUserEntry } from '../../../sessions/transcript.ts';
import type { Turn, TurnEnd, TurnEntry } from '../../driver.ts';
import { unlessAborted } from './abort.ts';
import { describeFailure } from './diagnostic.ts';
import { type AiSdkModelFactory, callSettings, type ResolvedModel, resolveModel } from './model.ts';
import { callModel } from './model-call.ts';
import { offerTools, type ToolOffer } from './offer.ts';
import { toModelMessages } from './prompt.ts';
import { type FinishedReply, partialText, type Reply } from './reply.ts';
import { runCalls } from './tool-calls.ts';

export interface TurnSettings {
  readonly model: LanguageModel | AiSdkModelFactory;
  readonly stepsMax: number;
  readonly maxRetries: number;
  readonly toolResultBytesMax: number;
  readonly providerOptions: Readonly<Record<string, JsonObject>>;
}

/** What stays the same through a turn, and the messages, which grow with it. */
interface OpenTurn {
  readonly turn: Turn;
  readonly settings: TurnSettings;
  readonly model: ResolvedModel;
  readonly offer: ToolOffer;
  readonly messages: ModelMessage[];
}

const aborted: TurnEnd = { stopReason: 'aborted' };
const failed = (diagnostic: string): TurnEnd => ({ stopReason: 'error', diagnostic });

/** Rejects only with what the log rejects with; after the signal fired it does not reject. */
export async function runTurn(turn: Turn, settings: TurnSettings): Promise<TurnEnd> {
  try {
    const open = await openTurn(turn, settings);
    if ('stopReason' in open) return open;
    for (let step = 1; ; step += 1) {
      const end = await runStep(open, step);
      if (end !== undefined) return end;
    }
  } catch (error) {
    if (turn.signal.aborted) return aborted;
    throw error;
  }
}

async function openTurn(turn: Turn, settings: TurnSettings): Promise<OpenTurn | TurnEnd> {
  const messages = toModelMessages(await turn.history());
  try {
    const offer = offerTools(turn);
    const model = await unlessAborted(resolveModel(settings.model, turn.options), turn.signal);
    return model === 'aborted' ? aborted : { turn, settings, model, offer, messages };
  } catch (error) {
    // Both refuse in words of our own, which name what the host has to change.
    if (error instanceof SubagentError) return failed(error.message);
    throw error;
  }
}

/** Undefined if the turn goes on. */
async function runStep(open: OpenTurn, step: number): Promise<TurnEnd | undefined> {
  const { turn, settings, model, offer, messages } = open;
  await turn.check();
  if (turn.signal.aborted) return aborted;
  const reply = await callModel({
    model,
    messages,
    instructions: turn.instructions,
    tools: offer.toolSet,
    settings: callSettings(turn.options),
    maxRetries: settings.maxRetries,
    providerOptions: settings.providerOptions,
    signal: turn.signal,
    onDelta: (delta) => turn.stream(delta),
  });
  if (reply.end.type !== 'finished') return endUnfinished(open, reply);
  const { content, calls, usage, modelId, finishReason } = reply.end;
  const seq = await recordEntry(open, { role: 'assistant', content, model: modelId, ...(usage && { usage }) });
  const cutOff = endByFinishReason(reply.end);
  if (cutOff !== undefined) {
    if (calls.length > 0) await recordEntry(open, { role: 'tool', content: calls.map(({ block }) => notRun(block)) });
    return cutOff;
  }
  if (calls.length > 0) {
    const results = await runCalls(calls, { turn, seq, offer, bytesMax: settings.toolResultBytesMax });
    messages.push(...toModelMessages([{ role: 'tool', content: results }]));
    return afterTools(open, step);
  }
  return finishReason === 'stop' ? afterAnswer(open, step) : failed('the model announced tool calls and made none');
}

/** A reply without an end: what was said is kept as evidence, its calls are not, since none has run. */
async function endUnfinished({ turn, model }: OpenTurn, reply: Reply): Promise<TurnEnd> {
  const text = partialText(reply.blocks);
  if (text.length > 0) await turn.record({ role: 'assistant', content: text, model: model.modelId });
  switch (reply.end.type) {
    case 'aborted':
      return aborted;
    case 'failed':
      return failed(describeFailure(reply.end.error, model.provider));
    default:
      return failed("the model's answer broke off: its stream closed without a finish");
  }
}

async function afterTools(open: OpenTurn, step: number): Promise<TurnEnd | undefined> {
  // A result that was accepted is the end of the turn, whatever happens beside it (P05).
  if (open.offer.isResultSubmitted()) return { stopReason: 'completed' };
  if (open.turn.signal.aborted) return aborted;
  const { stepsMax } = open.settings;
  if (step >= stepsMax) return failed(`stopped at the limit of ${stepsMax} steps (model calls) for one turn`);
  await showSteering(open);
  return undefined;
}

/** The answer is complete and recorded, so an abort from here on comes too late to change the end (P05). */
async function afterAnswer(open: OpenTurn, step: number): Promise<TurnEnd | undefined> {
  const { turn, settings } = open;
  const mayGoOn = step < settings.stepsMax && !turn.signal.aborted;
  if (mayGoOn && (await showSteering(open)) > 0) return undefined;
  if (turn.outputSchema === undefined) return { stopReason: 'completed' };
  return turn.signal.aborted ? aborted : failed('structured result missing');
}

/** How many messages came. */
async function showSteering({ turn, messages }: OpenTurn): Promise<number> {
  const claimed = await turn.takeSteering();
  messages.push(...toModelMessages(claimed.map(toUserEntry)));
  return claimed.length;
}

async function recordEntry({ turn, messages }: OpenTurn, entry: TurnEntry): Promise<number> {
  const seq = await turn.record(entry);
  messages.push(...toModelMessages([entry]));
  return seq;
}

function endByFinishReason({ finishReason }: FinishedReply): TurnEnd | undefined {
  switch (finishReason) {
    case 'stop':
    case 'tool-calls':
      return undefined;
    case 'length':
      return { stopReason: 'max-tokens', diagnostic: 'the model reached its limit of output tokens' };
    case 'content-filter':
      return { stopReason: 'refusal', diagnostic: "the model's content filter stopped the answer" };
    case 'interrupted':
      return failed("the model's answer broke off: its stream closed without a finish");
    case 'error':
      return failed('the model ended its answer with an error');
    default:
      return failed('the model ended its answer for a reason that it did not name');
  }
}

function notRun({ callId, toolName }: { callId: string; toolName: string }): ToolResultBlock {
  return { type: 'tool-result', callId, toolName, output: 'not run: the answer with this call was cut off', isError: true };
}
