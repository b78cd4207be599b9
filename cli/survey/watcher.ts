/**
 * The agent that watches the tree while others count it. It looks again and again until it is interrupted; woken after that, or
 * back after a crash, it looks once more and answers. Each of its steps says what it has seen so far.
 */
import { isCount, isNoted, isRecord, isText } from './check.ts';
import type { Conversation, PastCall } from './conversation.ts';
import type { Call } from './desk.ts';
import { countedIn, type Findings, finishText, mergeFindings, renderFindings } from './findings.ts';
import type { SurveyTask } from './task.ts';

export interface WatchStep {
  readonly text: string;
  /** Undefined: the text is the answer. */
  readonly call: Call | undefined;
  readonly isFailure: boolean;
}

/** Fewer than a turn may have steps: what has not been interrupted by then answers, and the agent above begins again. */
const looksMax = 40;
const waitMsMin = 100;
const waitMsMax = 1_000;
/** A look that takes long is followed by a wait of this many times as long, so that watching a large tree costs little. */
const restPerLook = 10;

export function watchStep({ asked, calls, last }: Conversation, task: SurveyTask): WatchStep {
  const watched = calls.filter(({ toolName }) => toolName === 'watch_tree');
  const looks = watched.flatMap(lookOf);
  const text = renderFindings(findingsOf(looks, asked));
  const failed = watched.find(({ reply }) => !reply.ok);
  if (failed?.reply.ok === false) return { text: `I cannot watch: ${failed.reply.reason}`, call: undefined, isFailure: true };
  const before = looks.at(-1);
  const told = asked.findLast((words) => words.text === finishText)?.at ?? -1;
  const stopped = Math.max(told, last.interrupted, last.back);
  const isLast = stopped >= 0;
  const isDone = isLast && before !== undefined && before.heardAt > stopped;
  if (isDone || looks.length >= looksMax) return { text, call: undefined, isFailure: false };
  const since = before?.at ?? task.since;
  const input = {
    paths: task.paths,
    ...(since === undefined ? {} : { since }),
    wait_ms: isLast ? 0 : waitMs(looks.length, before?.ms ?? 0),
  };
  return { text, call: { toolName: 'watch_tree', input }, isFailure: false };
}

interface Look {
  readonly at: number;
  readonly ms: number;
  readonly changed: { readonly count: number; readonly first: readonly string[] };
  /** Number of the message in the prompt. */
  readonly heardAt: number;
}

function lookOf({ reply, at: heardAt }: PastCall): Look[] {
  const value = reply.ok ? reply.value : undefined;
  if (!isRecord(value) || !isCount(value.at) || !isCount(value.ms) || !isNoted(value.changed, isText)) return [];
  return [{ at: value.at, ms: value.ms, changed: value.changed as unknown as Look['changed'], heardAt }];
}

/** A change that a look shows came after the look before it, and so after the words that were read between the two. */
function findingsOf(looks: readonly Look[], asked: Conversation['asked']): Findings {
  return mergeFindings(
    looks.map(({ changed, heardAt }) => {
      const counted = asked.filter(({ at }) => at < heardAt).flatMap(({ text }) => countedIn(text));
      const isCounted = (path: string) => counted.some((part) => path === part || path.startsWith(`${part}/`));
      return {
        changed: changed.first.map((path) => ({ path, isCounted: isCounted(path) })),
        more: changed.count - changed.first.length,
      };
    }),
  );
}

function waitMs(looks: number, lastMs: number): number {
  const wait = Math.max(waitMsMin * 1.5 ** looks, lastMs * restPerLook);
  return Math.round(Math.min(wait, Math.max(waitMsMax, lastMs * restPerLook), 60_000));
}
