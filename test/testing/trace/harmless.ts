/** Why a spoiled event can go unseen: each reason says what the contract leaves open. */
import type { SessionEvent } from '../../../src/sessions/event.ts';
import type { RecordedSession } from '../../../src/testing/trace/trace.ts';
import type { Single } from './single.ts';

interface Case extends Single {
  readonly session: RecordedSession;
  readonly event: SessionEvent;
  readonly next: SessionEvent | undefined;
}

/** Values that are words, settings or sizes: models and people read them, and no rule compares them unless a parent is told of them. */
const free: Readonly<Partial<Record<SessionEvent['type'], RegExp>>> = {
  'subagent/descriptor': /^(provider|instructions|tools|agentOptions|agentPreset|outputSchema|maxDepth|callId)\b/,
  'inbox/inserted': /^(content|source\.(summary|timeZone))\b/,
  'inbox/edited': /^content\b/,
  'assistant/message': /^(content\.\d+\.(text|toolName|input)|usage|model)\b/,
  'tool/results': /^content\.\d+\.(toolName|output|isError|isInterrupted)\b/,
  'result/submitted': /^value\b/,
  'turn/ended': /^diagnostic$/,
  'activation/ended': /^diagnostic$/,
};

/** What can come at any time between two others. */
const loose = new Set<string | undefined>([
  ...['subagent/child', 'inbox/inserted', 'inbox/edited', 'inbox/promoted', 'inbox/discarded'],
]);
/** What a turn writes in an order of its own. */
const withinTurn = new Set<string | undefined>(['assistant/message', 'result/submitted', 'inbox/claimed']);

const pathOf = ({ path }: Case) => path.slice(1).join('.');
const changes = ({ change }: Case) => change === 'alter' || change === 'delete';

export const reasons: Readonly<Record<string, (given: Case) => boolean>> = {
  'the wall clock may jump': ({ change, path }) => change === 'alter' && path[0] === 'time',
  'words and settings are for models and people': (given) =>
    changes(given) && given.path[0] === 'data' && free[given.event.type]?.test(pathOf(given)) === true,
  'what an external child is nobody else knows': (given) =>
    changes(given) && given.event.type === 'subagent/child' && given.event.data.mode === 'external',
  'a run id is any name that nobody else has': (given) => given.event.type === 'activation/ended' && pathOf(given) === 'runId',
  'only the last turn decides how an activation ends': (given) =>
    given.event.type === 'turn/ended' && pathOf(given) === 'stopReason' && given.change === 'alter',
  'an end of which nobody is told may be missing or late: a crash can cut it off': ({ change, event, session, ...given }) => {
    if (event.type !== 'activation/ended' || event.data.notice !== undefined) return false;
    if (change !== 'drop') return given.path.at(-1) === 'epoch';
    const goesOn = session.events.slice(given.place).some(({ type }) => type === 'turn/started');
    return goesOn || session.header.parentSession === undefined;
  },
  'a seal can be overtaken, and then an activation ends again': ({ change, event }) =>
    change === 'double' && event.type === 'activation/ended',
  'a model says what it likes, as often as it likes': ({ change, event }) =>
    (change === 'drop' || change === 'double') &&
    event.type === 'assistant/message' &&
    !event.data.content.some(({ type }) => type === 'tool-call'),
  'the last word counts': ({ change, event }) =>
    (change === 'double' && (event.type === 'inbox/edited' || event.type === 'result/submitted')) ||
    (change === 'drop' && event.type === 'inbox/edited'),
  'what was not taken waits, for an agent that was stopped or for what wakes it': ({ change, event, session }) => {
    if (change === 'double' || change === 'swap' || !isMail(event)) return false;
    const last = session.events.findLast(({ type }) => type === 'turn/ended' || type === 'activation/ended');
    return isAborted(last) || (event.type === 'inbox/claimed' && event.data.waking < event.data.messageIds.length);
  },
  'either could come first': ({ change, event, next }) =>
    change === 'swap' &&
    (loose.has(event.type) || loose.has(next?.type) || (withinTurn.has(event.type) && withinTurn.has(next?.type))),
};

function isMail({ type }: SessionEvent): boolean {
  return type === 'inbox/inserted' || type === 'inbox/claimed' || type === 'inbox/discarded';
}

function isAborted(event: SessionEvent | undefined): boolean {
  return (event?.type === 'turn/ended' || event?.type === 'activation/ended') && event.data.stopReason === 'aborted';
}

/** The names of the reasons that hold. */
export function reasonsFor(single: Single, session: RecordedSession): string[] {
  const event = session.events[single.place] as SessionEvent;
  const next = session.events[single.place + 1];
  return Object.entries(reasons).flatMap(([name, covers]) => (covers({ ...single, session, event, next }) ? [name] : []));
}
