/** Has the tree watched from before the first count until after the last. */
import { isCount, isNoted, isRecord, isText } from './check.ts';
import type { Conversation, Reply } from './conversation.ts';
import type { Desk } from './desk.ts';
import { type Findings, mergeFindings } from './findings.ts';
import type { SurveyTask } from './task.ts';
import { canWatch, type Watch, watch } from './watch.ts';

/** `unneeded`: nothing is given to others. */
export type Watched = Watch | { readonly kind: 'unneeded' };

/** One agent must be left for the parts beside the one that watches, with room below it. */
const agentsMin = 3;

export function isWatchable(conversation: Conversation, task: SurveyTask): boolean {
  const hasRoom = task.agentsBelow >= agentsMin && task.levelsBelow > 0;
  return task.answer === 'report' && hasRoom && canWatch(conversation);
}

/** `isCounted`: all results of the survey are there. */
export function watchWhile(conversation: Conversation, desk: Desk, isCounted: boolean): Watched {
  const begin = desk.ask('watch_tree', { paths: ['.'] });
  if (begin === undefined) return { kind: 'unneeded' };
  const since = momentOf(begin);
  if (since === undefined) return { kind: 'refused', reason: 'the time is not to be had' };
  if (desk.parts.length === 0) return { kind: 'unneeded' };
  const counted = desk.parts.filter(({ reply }) => reply !== undefined);
  const watched = watch(conversation, { since, counted, isOver: isCounted });
  if (!isCounted) return watched;
  // the last look is the agent's own: the one that watches is interrupted between two of its looks
  const look = desk.ask('watch_tree', { paths: ['.'], since, wait_ms: 0 });
  if (look === undefined) return { kind: 'going', calls: watched.kind === 'going' ? watched.calls : [] };
  return watched.kind === 'over' ? { ...watched, findings: mergeFindings([watched.findings, seenIn(look)]) } : watched;
}

function momentOf(reply: Reply): number | undefined {
  return reply.ok && isRecord(reply.value) && isCount(reply.value.at) ? reply.value.at : undefined;
}

function seenIn(reply: Reply): Findings {
  const changed = reply.ok && isRecord(reply.value) ? reply.value.changed : undefined;
  if (!isNoted(changed, isText)) return { changed: [], more: 0 };
  const { count, first } = changed as { count: number; first: readonly string[] };
  return { changed: first.map((path) => ({ path, isCounted: false })), more: count - first.length };
}
