/** What the embedded model does next, decided from its prompt alone. */
import { renderAnswer } from './answer.ts';
import type { Conversation } from './conversation.ts';
import { type Call, createDesk, type Desk } from './desk.ts';
import { ToolFailure } from './examine.ts';
import { followUp } from './follow-up.ts';
import { wordsOf } from './question.ts';
import { renderReport } from './report.ts';
import { survey } from './survey.ts';
import { parseTask, type SurveyTask } from './task.ts';
import { countText } from './text.ts';
import { waitingText } from './waiting.ts';

/** With calls the text says what they are for; without, it is the answer, or why there is none. */
export interface Decision {
  readonly text: string;
  readonly calls: readonly Call[];
  readonly isFailure: boolean;
}

export function decide(conversation: Conversation): Decision {
  const { asked, askedBefore, lastAnswer } = conversation;
  // a notice that comes after the answer changes nothing; the last words of an agent are its result
  if (asked.length === 0) return answer(lastAnswer ?? 'Noted.');
  const task = lastTask(asked);
  const earlier = lastTask(askedBefore);
  const message = asked.filter((text) => parseTask(text) === undefined).join('\n');
  if (task === undefined && earlier === undefined) {
    return answer(
      'I am the embedded rule-based model of `troupe`: I survey folders. This message is no such task, and there was none before.',
    );
  }
  try {
    return task === undefined
      ? decideFollowUp(conversation, earlier as SurveyTask, message)
      : decideSurvey(conversation, task, message);
  } catch (error) {
    if (error instanceof ToolFailure) return { ...answer(`I could not finish: ${error.message}`), isFailure: true };
    throw error;
  }
}

/** A message that came while the survey ran is one more question. */
function decideSurvey(conversation: Conversation, task: SurveyTask, message: string): Decision {
  const question = [task.question, message].filter((text) => text !== undefined && text !== '').join('\n');
  const words = wordsOf(question);
  const desk = createDesk(conversation, question === '' ? task : { ...task, question });
  const found = survey(desk, task, words);
  if (found === undefined) return workOrWait(desk);
  if (task.answer === 'part') return answer(renderAnswer(found.total));
  return answer(renderReport(found, question === '' ? undefined : { question, words }));
}

function decideFollowUp(conversation: Conversation, task: SurveyTask, message: string): Decision {
  const desk = createDesk(conversation, { ...task, agentsBelow: 0 });
  const text = followUp(desk, task, message);
  return text === undefined ? work(desk.nextCalls()) : answer(text);
}

function lastTask(texts: readonly string[]): SurveyTask | undefined {
  return texts.map(parseTask).findLast((task) => task !== undefined);
}

function answer(text: string): Decision {
  return { text, calls: [], isFailure: false };
}

/** Children that a crash left unfinished go on by themselves; their reports wake the agent. */
function workOrWait(desk: Desk): Decision {
  const calls = desk.nextCalls();
  return calls.length > 0 ? work(calls) : answer(waitingText(desk.awaited()));
}

function work(calls: readonly Call[]): Decision {
  const delegated = calls.filter(({ toolName }) => toolName === 'delegate').length;
  const own = calls.length - delegated;
  const parts = [
    ...(delegated > 0 ? [`give ${countText(delegated, 'part')} to an agent each`] : []),
    ...(own > 0 ? [`look at ${countText(own, 'thing')} myself`] : []),
  ];
  return { text: `I ${parts.join(' and ')}.`, calls, isFailure: false };
}
