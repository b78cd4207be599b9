/** Surveys one part of the tree: divides it, waits for the children, does the rest itself, and merges. */
import { parseAnswer } from './answer.ts';
import { sameList } from './check.ts';
import type { Reply } from './conversation.ts';
import type { DelegatedPart, Desk } from './desk.ts';
import { divide } from './divide.ts';
import { examine, listPaths } from './examine.ts';
import { mergeParts, reportBounds } from './merge.ts';
import { cutPart, type FolderRow, type PartReport } from './part.ts';
import type { SurveyTask } from './task.ts';

export interface Survey {
  /** The whole. */
  readonly total: PartReport;
  /** What the agent did itself, and what each child brought; empty if nothing was divided. */
  readonly own: PartReport;
  readonly parts: readonly PartReport[];
}

/** Undefined until all results are there. */
export function survey(desk: Desk, task: SurveyTask, words: readonly string[]): Survey | undefined {
  const listings = listPaths(desk, task.paths);
  if (listings === undefined) return undefined;
  const { own, delegated } = divide(task, listings, desk.canDelegate);
  const ownReports = own.map((examination) => examine(desk, { ...examination, words }));
  const replies = desk.delegate(delegated);
  const partReports = delegated.map((part, index) => partOf(part, replies[index], desk, words));
  const done = ownReports.filter((report) => report !== undefined);
  const parts = partReports.filter((report) => report !== undefined);
  const [first] = done;
  if (first === undefined || done.length < own.length || parts.length < delegated.length) return undefined;
  const { quotes, subfolders } = first;
  const ownReport = { ...mergeParts(done, { paths: task.paths, quotes, subfolders, folders: first.folders }), agents: 1 };
  if (delegated.length === 0) return { total: ownReport, own: ownReport, parts: [] };
  const folders = parts.flatMap((part) => rowsOf(part));
  return {
    total: cutPart(mergeParts([ownReport, ...parts], { paths: task.paths, quotes, subfolders, folders }), reportBounds),
    own: ownReport,
    parts,
  };
}

/** A child's answer, or the agent's own work if there is none that can be used. */
function partOf(part: DelegatedPart, reply: Reply | undefined, desk: Desk, words: readonly string[]): PartReport | undefined {
  if (reply === undefined) return undefined;
  const answer = answerIn(reply);
  if (answer !== undefined && sameList(answer.paths, part.paths)) return answer;
  const own = examine(desk, { paths: part.paths, scope: 'all', words });
  if (own === undefined) return undefined;
  const reason = reply.ok ? 'the answer of its agent could not be read' : reply.reason;
  return { ...own, agents: 0, remarks: [`${part.label} was surveyed by the agent above it: ${reason}`] };
}

function answerIn(reply: Reply): PartReport | undefined {
  return reply.ok && typeof reply.value === 'string' ? parseAnswer(reply.value) : undefined;
}

function rowsOf(part: PartReport): FolderRow[] {
  const { files, lines, bytes, quotes } = part;
  return part.paths.length === 1 ? [{ path: part.paths[0] ?? '', files, lines, bytes, quotes }] : [...part.folders];
}
