/**
 * How the top-level agent has the tree watched while it is counted, so that its report can say what its numbers do not show:
 * one agent in the background is told which parts have been counted. When all have, it is interrupted, since it may be in a long
 * wait, and asked for what it has seen.
 *
 * I1  One watches at a time. Another one follows if it ends before the counting does, and looks back to the same moment.
 * I2  One that a crash cut off ends by itself when it is back (see watcher.ts). It is not interrupted, for that could come
 *     before it is back, and be lost. If it had not begun, it is found running when all is counted, and asked for its answer.
 */
import type { Conversation, PastCall, Words } from './conversation.ts';
import type { Call, DelegatedPart } from './desk.ts';
import { countedIn, countedText, type Findings, finishText, mergeFindings, noFindings, parseFindings } from './findings.ts';
import type { Settled } from './notices.ts';
import { parseTask, renderTask } from './task.ts';

export type Watch =
  | { readonly kind: 'going'; readonly calls: readonly Call[] }
  | { readonly kind: 'over'; readonly findings: Findings }
  /** Nobody could watch. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface Counting {
  /** The moment before the counting began, in milliseconds since 1970. */
  readonly since: number;
  /** The parts whose agent has reported. */
  readonly counted: readonly DelegatedPart[];
  readonly isOver: boolean;
}

const label = 'watch for changes';
const watchersMax = 20;

/** Whether an agent with these tools and this room can have the tree watched. */
export function canWatch({ tools }: Conversation): boolean {
  const takesBackground = tools.get('delegate')?.includes('run_in_background') === true;
  return takesBackground && ['watch_tree', 'send_message', 'interrupt_agent', 'list_agents'].every((name) => tools.has(name));
}

export function watch(conversation: Conversation, counting: Counting): Watch {
  const { settled, last } = conversation;
  const starts = startsIn(conversation.calls);
  const refusal = starts.find(({ reply }) => !reply.ok);
  if (refusal?.reply.ok === false) return { kind: 'refused', reason: refusal.reply.reason };
  const watchers = watchersIn(conversation, starts);
  const ends = watchers.flatMap(({ id }) => settled.filter((one) => one.id === id && !isWoken(conversation, one)));
  const live = watchers.find(({ id, at }) => at > last.letGo && ends.every((end) => end.id !== id));
  if (live !== undefined) {
    const isBack = live.at <= last.back;
    return { kind: 'going', calls: (isBack ? callsForOneBack : callsFor)(live.id, conversation, counting) };
  }
  if (ends.some(({ stopReason }) => stopReason !== 'completed' && stopReason !== 'aborted')) {
    return { kind: 'refused', reason: 'the agent that watched could not go on' };
  }
  const isNeeded = !counting.isOver && watchers.length < watchersMax;
  if (isNeeded) return { kind: 'going', calls: [start(counting)] };
  return { kind: 'over', findings: mergeFindings(ends.map(({ text }) => parseFindings(text) ?? noFindings)) };
}

function startsIn(calls: readonly PastCall[]): readonly PastCall[] {
  return calls.filter(({ toolName, input }) => {
    const { prompt } = (toolName === 'delegate' ? (input ?? {}) : {}) as { prompt?: unknown };
    return typeof prompt === 'string' && parseTask(prompt)?.answer === 'changes';
  });
}

interface Watcher {
  readonly id: string;
  /** When it was last heard of as started: number of the message in the prompt. */
  readonly at: number;
}

/** Those that were started, and those whose start was cut off after it had taken effect. */
function watchersIn({ settled, open, last }: Conversation, starts: readonly PastCall[]): readonly Watcher[] {
  const started = starts.flatMap(({ reply, at }): Watcher[] => {
    const id = reply.ok ? /^started subagent (\S+)$/.exec(String(reply.value))?.[1] : undefined;
    return id === undefined ? [] : [{ id, at }];
  });
  const back = [...open].filter(([, name]) => name === label).map(([id]) => ({ id, at: last.back }));
  const ended = settled.filter((one) => one.label === label).map(({ id }) => ({ id, at: -1 }));
  return [...new Map([...ended, ...back, ...started].map((watcher) => [watcher.id, watcher])).values()];
}

/** Interrupted so early that it had ended before the words came that wake it: it is at work again. */
function isWoken({ calls, last }: Conversation, { id, stopReason }: Settled): boolean {
  return stopReason === 'aborted' && messagesTo(id, calls).some(({ text, at }) => text === finishText && at > last.back);
}

function messagesTo(id: string, calls: readonly PastCall[]): readonly Words[] {
  return callsTo(id, 'send_message', calls).map(({ input, at }) => ({
    text: String((input as { message?: unknown }).message),
    at,
  }));
}

function callsTo(id: string, toolName: string, calls: readonly PastCall[]): readonly PastCall[] {
  return calls.filter((call) => call.toolName === toolName && (call.input as { agent_id?: unknown } | null)?.agent_id === id);
}

function callsFor(id: string, { calls }: Conversation, { counted, isOver }: Counting): readonly Call[] {
  if (isOver) {
    // in this order: what is interrupted is woken by what comes after that
    const finish = [{ toolName: 'interrupt_agent', input: { agent_id: id } }, message(id, finishText)];
    return callsTo(id, 'interrupt_agent', calls).length > 0 ? [] : finish;
  }
  const told = new Set(messagesTo(id, calls).flatMap(({ text }) => countedIn(text)));
  const news = counted.flatMap(({ paths }) => paths).filter((path) => !told.has(path));
  return news.length === 0 ? [] : [message(id, countedText(news))];
}

function callsForOneBack(id: string, { calls, last }: Conversation, { isOver }: Counting): readonly Call[] {
  if (!isOver) return [];
  const listed = calls.findLast(({ toolName, at }) => toolName === 'list_agents' && at > last.back)?.reply;
  if (listed === undefined) return [{ toolName: 'list_agents', input: {} }];
  const isRunning = listed.ok && String(listed.value).includes(`${id} [running]`);
  const isAsked = messagesTo(id, calls).some(({ text, at }) => text === finishText && at > last.back);
  return isRunning && !isAsked ? [message(id, finishText)] : [];
}

function message(id: string, text: string): Call {
  return { toolName: 'send_message', input: { agent_id: id, message: text } };
}

function start({ since }: Counting): Call {
  const prompt = renderTask({ paths: ['.'], agentsBelow: 0, levelsBelow: 0, answer: 'changes', since });
  return { toolName: 'delegate', input: { description: label, prompt, run_in_background: true } };
}
