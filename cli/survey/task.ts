/** The task of a surveying agent, as text that a person, a real model and the embedded model all read. */

type Answer = 'report' | 'part' | 'changes';

export interface SurveyTask {
  /** From the surveyed folder. */
  readonly paths: readonly string[];
  /** How many agents may live below this one at the same time; 0: it may not delegate. */
  readonly agentsBelow: number;
  /** How many levels there may be below this one. */
  readonly levelsBelow: number;
  /** `report`: Markdown for a person. `part`: what the delegating agent merges. `changes`: what changed meanwhile. */
  readonly answer: Answer;
  readonly question?: string;
  /** For `changes`: since when, in milliseconds since 1970. */
  readonly since?: number;
}

/** Paths and question stand as JSON on one line each, so that no name and no question can pose as another line. */
export function renderTask(task: SurveyTask): string {
  const lines = [
    openings[task.answer],
    `Paths: ${JSON.stringify(task.paths)}`,
    `Agents below you at one time: ${task.agentsBelow}`,
    `Levels below you: ${task.levelsBelow}`,
    `Answer with: ${task.answer}`,
  ];
  if (task.since !== undefined) lines.push(`Since: ${task.since}`);
  if (task.question !== undefined) lines.push(`Question: ${JSON.stringify(task.question)}`);
  return lines.join('\n');
}

const openings: Readonly<Record<Answer, string>> = {
  report: 'Survey the folder you work in.',
  part: 'Survey a part of the folder you work in.',
  changes: 'Watch the folder you work in for changes until you are interrupted. You are told which parts have been counted.',
};

/** Undefined if the text is no task. */
export function parseTask(text: string): SurveyTask | undefined {
  const line = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1];
  const paths = parseJson(line('Paths'));
  if (!Array.isArray(paths) || paths.length === 0 || !paths.every((path) => typeof path === 'string')) return undefined;
  const question = parseJson(line('Question'));
  const answer = line('Answer with');
  const since = line('Since');
  return {
    paths,
    agentsBelow: toCount(line('Agents below you at one time')),
    levelsBelow: toCount(line('Levels below you')),
    answer: answer === 'report' || answer === 'changes' ? answer : 'part',
    ...(typeof question === 'string' ? { question } : {}),
    ...(since !== undefined && /^\d{1,15}$/.test(since) ? { since: Number(since) } : {}),
  };
}

function toCount(text: string | undefined): number {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Text that only looks like a task line.
    return undefined;
  }
}
