/** Answers a message to an agent that has surveyed its part before: by looking for its words in that part, now. */
import type { Desk } from './desk.ts';
import { examine } from './examine.ts';
import { answerQuestion, wordsOf } from './question.ts';
import type { SurveyTask } from './task.ts';
import { code } from './text.ts';

/** Undefined until all results are there. */
export function followUp(desk: Desk, task: SurveyTask, message: string): string | undefined {
  const words = wordsOf(message);
  const report = examine(desk, { paths: task.paths, scope: 'all', words });
  if (report === undefined) return undefined;
  const where = task.paths.length === 1 ? code(task.paths[0] ?? '') : task.paths.slice(0, 5).map(code).join(', ');
  return [`About ${where}, as it is now:`, '', ...answerQuestion(message, words, report)].join('\n');
}
