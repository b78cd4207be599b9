/** What the embedded model does next, decided from its prompt alone. */
import { renderAnswer } from './answer.ts';
import type { Conversation, Words } from './conversation.ts';
import { type Call, createDesk, type Desk } from './desk.ts';
import { ToolFailure } from './examine.ts';
import { followUp } from './follow-up.ts';
import { wordsOf } from './question.ts';
import { renderReport } from './report.ts';
import { type Survey, survey } from './survey.ts';
import { parseTask, type SurveyTask } from './task.ts';
import { countText } from './text.ts';
import { waitingText } from './waiting.ts';
import { isWatchable, type Watched, watchWhile } from './watched.ts';
import { watchStep } from './watcher.ts';

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
  const message = asked
    .map(({ text }) => text)
    .filter((text) => parseTask(text) === undefined)
    .join('\n');
  if (task?.answer === 'changes') return decideWatch(conversation, task);
  if (task !== undefined) return decideSurvey(conversation, task, message);
  if (earlier?.answer === 'changes') return answer(lastAnswer ?? 'Noted.');
  if (earlier !== undefined) return decideFollowUp(conversation, earlier, message);
  return answer(
    'I am the embedded rule-based model of `troupe`: I survey folders. This message is no such task, and there was none before.',
  );
}

/** A message that came while the survey ran is one more question. */
function decideSurvey(conversation: Conversation, task: SurveyTask, message: string): Decision {
  const question = [task.question, message].filter((text) => text !== undefined && text !== '').join('\n');
  const words = wordsOf(question);
  const isWatched = isWatchable(conversation, task);
  const desk = createDesk(conversation, question === '' ? task : { ...task, question }, isWatched);
  const found = attempt(() => survey(desk, task, words));
  const watched = isWatched ? watchWhile(conversation, desk, found !== undefined) : undefined;
  if (found === undefined || watched?.kind === 'going') return workOrWait(desk, watched);
  if (found instanceof ToolFailure) return failure(found);
  if (task.answer === 'part') return answer(renderAnswer(found.total));
  return answer(renderReport(found, question === '' ? undefined : { question, words }, watched));
}

function decideFollowUp(conversation: Conversation, task: SurveyTask, message: string): Decision {
  const desk = createDesk(conversation, { ...task, agentsBelow: 0 });
  const text = attempt(() => followUp(desk, task, message));
  if (text instanceof ToolFailure) return failure(text);
  return text === undefined ? work(desk.nextCalls()) : answer(text);
}

function decideWatch(conversation: Conversation, task: SurveyTask): Decision {
  const { text, call, isFailure } = watchStep(conversation, task);
  return { text, calls: call === undefined ? [] : [call], isFailure };
}

function attempt<Value extends Survey | string>(find: () => Value | undefined): Value | ToolFailure | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
}

function lastTask(said: readonly Words[]): SurveyTask | undefined {
  return said.map(({ text }) => parseTask(text)).findLast((task) => task !== undefined);
}

function answer(text: string): Decision {
  return { text, calls: [], isFailure: false };
}

function failure({ message }: ToolFailure): Decision {
  return { ...answer(`I could not finish: ${message}`), isFailure: true };
}

/** Agents in the background, and those that a crash left unfinished, go on by themselves; their reports wake this one. */
function workOrWait(desk: Desk, watched: Watched | undefined): Decision {
  const toWatch = watched?.kind === 'going' ? watched.calls : [];
  const calls = desk.nextCalls(toWatch);
  return calls.length > 0 ? work(calls) : answer(waitingText(desk.awaited() + (watched?.kind === 'going' ? 1 : 0)));
}

function work(calls: readonly Call[]): Decision {
  const count = (toolName: string) => calls.filter((call) => call.toolName === toolName).length;
  const isWatchStart = ({ toolName, input }: Call) => toolName === 'delegate' && input.run_in_background === true;
  const starts = calls.filter(isWatchStart).length;
  const parts = count('delegate') - starts;
  const [words, stops] = [count('send_message'), count('interrupt_agent')];
  const own = calls.length - parts - starts - words - stops;
  const purposes = [
    ...(starts > 0 ? ['have the folder watched meanwhile'] : []),
    ...(parts > 0 ? [`give ${countText(parts, 'part')} to an agent each`] : []),
    ...(words > 0 && stops === 0 ? ['tell the agent that watches what has been counted'] : []),
    ...(stops > 0 ? ['interrupt the agent that watches, to hear what it has seen'] : []),
    ...(own > 0 ? [`look at ${countText(own, 'thing')} myself`] : []),
  ];
  return { text: `I ${purposes.join(' and ')}.`, calls, isFailure: false };
}
