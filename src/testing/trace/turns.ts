/** Rules `turn-opening`, `one-turn`, `turn-entries`, `end-outside-turn` and `interrupted-turn`. */
import type { SessionEvent, SessionEventOf } from '../../sessions/event.ts';
import type { TraceRuleName } from './rules.ts';
import type { Say, Trace, TracedSession } from './trace.ts';

export function judgeTurns(trace: Trace, say: Say): void {
  for (const session of trace.sessions) {
    const wrong: Wrong = (rule, event, what) => say(rule, session, what, event);
    judgeNesting(session, wrong);
    judgeInterruptions(session, wrong);
  }
}

type Wrong = (rule: TraceRuleName, event: SessionEvent, what: string) => void;

function judgeNesting({ own, isHostRun }: TracedSession, wrong: Wrong): void {
  const begun = new Set<string>();
  let open: string | undefined;
  for (const [place, event] of own.entries()) {
    switch (event.type) {
      case 'turn/started': {
        const { turnId } = event.data;
        if (open !== undefined) wrong('one-turn', event, `turn ${turnId} begins inside turn ${open}`);
        if (begun.has(turnId)) wrong('one-turn', event, `turn ${turnId} begins again`);
        if (!isClaimOf(own[place - 1], turnId)) wrong('turn-opening', event, `turn ${turnId} begins without its claim`);
        begun.add(turnId);
        open = turnId;
        break;
      }
      case 'turn/ended':
        if (open !== event.data.turnId) wrong('one-turn', event, `turn ${event.data.turnId} ends and is not open`);
        else open = undefined;
        break;
      case 'inbox/claimed':
        if (open !== undefined) belongs(event, open, wrong);
        else if (!isHostRun && !opens(event, own[place + 1]))
          wrong('turn-opening', event, 'messages are claimed outside any turn');
        break;
      case 'assistant/message':
      case 'tool/results':
      case 'result/submitted':
        belongs(event, open, wrong);
        break;
      case 'activation/ended':
        if (open !== undefined) wrong('end-outside-turn', event, `the activation ends inside turn ${open}`);
        break;
      default:
    }
  }
}

type Entry = SessionEventOf<'assistant/message' | 'tool/results' | 'result/submitted' | 'inbox/claimed'>;

function belongs(event: Entry, open: string | undefined, wrong: Wrong): void {
  if (event.data.turnId !== open)
    wrong('turn-entries', event, `${event.type} belongs to turn ${event.data.turnId}, which is not open`);
}

/** Both are written in one piece; where the log was cut between them nothing is wrong yet. */
function opens(claim: SessionEventOf<'inbox/claimed'>, next: SessionEvent | undefined): boolean {
  return next === undefined || (next.type === 'turn/started' && next.data.turnId === claim.data.turnId);
}

function isClaimOf(event: SessionEvent | undefined, turnId: string): boolean {
  return event?.type === 'inbox/claimed' && event.data.turnId === turnId;
}

/** Behind the end of a turn that was cut off come the notices that its calls had waited for, then the word to the model. */
function judgeInterruptions({ own }: TracedSession, wrong: Wrong): void {
  let epoch = 0;
  let cut: SessionEventOf<'turn/ended'> | undefined;
  let epochOfCut = 0;
  for (const event of own) {
    const isWord = event.type === 'inbox/inserted' && event.data.source.kind === 'turn-interrupted';
    const isNotice = event.type === 'inbox/inserted' && event.data.source.kind === 'subagent-settled';
    if (isWord && cut === undefined) wrong('interrupted-turn', event, 'the model is told of a turn that was not cut off');
    if (cut !== undefined && !isWord && !isNotice)
      wrong('interrupted-turn', cut, `turn ${cut.data.turnId} was cut off, and the model is not told`);
    if (!isNotice) cut = undefined;
    if (event.type === 'turn/started') {
      epoch = event.data.epoch;
      if (epoch <= epochOfCut) wrong('interrupted-turn', event, `the owner of epoch ${epoch} had a turn cut off, and goes on`);
    }
    if (event.type !== 'turn/ended' || event.data.isInterrupted !== true) continue;
    if (event.data.stopReason !== 'error')
      wrong('interrupted-turn', event, `it was cut off and ended as ${event.data.stopReason}`);
    cut = event;
    epochOfCut = epoch;
  }
}
