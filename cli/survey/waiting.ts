/** The words with which an agent ends its turn before its work is done, and those that end the waiting. */
import { countText } from './text.ts';

export function waitingText(agents: number): string {
  return `I wait for ${countText(agents, 'agent')} to report.`;
}

export function isWaiting(text: string): boolean {
  return /^I wait for [\d,]+ agents? to report\.$/.test(text);
}

/** For an agent that waits for subagents which cannot come back. */
export const goOnText = 'Go on without the subagents that have not reported.';

export function isGoOn(text: string): boolean {
  return text === goOnText;
}
