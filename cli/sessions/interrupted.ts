/** The survey that the next run takes up again, the newest one of the folder if its process died, and how it is finished. */
import {
  errorCode,
  type OpenAgent,
  type SessionEvent,
  type SessionHead,
  type SessionStore,
  type SubagentResult,
  type SubagentRuntime,
  textOf,
} from '../../src/index.ts';
import { goOnText, isWaiting } from '../survey/waiting.ts';
import { isLeft, taskOf } from './standing.ts';

/** Undefined unless it was cut off, and asked the same question if there is a question now. */
export async function interruptedSurvey(store: SessionStore, question: string | undefined): Promise<SessionHead | undefined> {
  try {
    for (const head of (await store.roots()).toReversed()) {
      const events = await store.read(head.header.id);
      // one that was never asked anything is passed over: there is nothing to go on with
      if (!events.some(({ type }) => type === 'inbox/inserted')) continue;
      const task = taskOf(events);
      const isSame = task?.answer === 'report' && (question === undefined || question === task.question);
      return isSame && !isEnded(events) && (await isLeft(store, head)) ? head : undefined;
    }
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'SESSION_DAMAGED' && code !== 'SESSION_UNSUPPORTED') throw error;
    // what cannot be read cannot be continued; a new survey needs nothing of it
    return undefined;
  }
}

/** It was closed, or was being ended when its process died. */
function isEnded(events: readonly SessionEvent[]): boolean {
  if (events.some(({ type }) => type === 'activation/ended')) return true;
  const last = events.findLast(({ type }) => type === 'turn/started' || type === 'turn/ended');
  return last?.type === 'turn/ended' && last.data.stopReason !== 'completed' && last.data.isInterrupted !== true;
}

/** `root` has just been reopened. Its subagents go on by themselves and report to it; what cannot come back is done without. */
export async function finishSurvey(runtime: SubagentRuntime, root: OpenAgent, signal: AbortSignal): Promise<SubagentResult> {
  await runtime.recover();
  const result = await root.whenQuiet({ signal });
  return isWaiting(textOf(result.output)) ? root.ask(goOnText, { signal }) : result;
}
