/** Rules `diagnostic`, `structured-result` and `closed-inbox`. */
import type { SessionEvent, SessionEventOf } from '../../sessions/event.ts';
import type { TraceRuleName } from './rules.ts';
import type { Say, Trace, TracedSession } from './trace.ts';

/** Bytes of UTF-8 (S5.4). */
const diagnosticBytesMax = 4_096;

export function judgeResults(trace: Trace, say: Say): void {
  for (const session of trace.sessions) {
    const wrong: Wrong = (rule, event, what) => say(rule, session, what, event);
    for (const event of session.own) {
      if (event.type === 'turn/ended' || event.type === 'activation/ended') judgeDiagnostic(event, wrong);
    }
    judgeSubmissions(session, wrong);
    judgeClosedInbox(session, wrong);
  }
}

type Wrong = (rule: TraceRuleName, event: SessionEvent, what: string) => void;

function judgeDiagnostic(event: SessionEventOf<'turn/ended' | 'activation/ended'>, wrong: Wrong): void {
  const { stopReason, diagnostic } = event.data;
  if (diagnostic === undefined) return;
  if (stopReason === 'completed') wrong('diagnostic', event, 'a completed end has a diagnostic');
  const bytes = diagnostic.length > diagnosticBytesMax ? diagnostic.length : Buffer.byteLength(diagnostic);
  if (bytes > diagnosticBytesMax) wrong('diagnostic', event, `its diagnostic has ${bytes} bytes or more`);
}

/** Only the first activation is asked for one: a child that a message brings back has no schema any more. */
function judgeSubmissions({ own, descriptor }: TracedSession, wrong: Wrong): void {
  const isAsked = descriptor?.outputSchema !== undefined;
  let epoch = 0;
  let hasSubmitted = false;
  for (const event of own) {
    if (event.type === 'turn/started') epoch = event.data.epoch;
    if (event.type === 'result/submitted') {
      if (!isAsked || epoch !== 1) wrong('structured-result', event, 'nobody asked this activation for a structured result');
      hasSubmitted = true;
    }
    if (event.type === 'turn/ended' && event.data.stopReason === 'completed' && isAsked && epoch === 1 && !hasSubmitted)
      wrong('structured-result', event, 'the turn has completed without the structured result');
  }
}

/** The inbox is closed for certain when the turn that submitted has ended; what came before may still be claimed. */
function judgeClosedInbox({ own, inserted }: TracedSession, wrong: Wrong): void {
  let epoch = 0;
  let hasSubmitted = false;
  let closed: { readonly epoch: number; readonly seq: number } | undefined;
  own.forEach((event, place) => {
    if (event.type === 'result/submitted') hasSubmitted = true;
    if (event.type === 'turn/ended' && hasSubmitted) closed ??= { epoch, seq: event.seq };
    if (event.type === 'turn/started') {
      if (event.data.epoch !== epoch) hasSubmitted = false;
      epoch = event.data.epoch;
    }
    if (event.type !== 'inbox/claimed' || closed === undefined) return;
    const next = own[place + 1];
    const { seq } = closed;
    if ((next?.type === 'turn/started' ? next.data.epoch : epoch) !== closed.epoch) return;
    const late = event.data.messageIds.find((id) => (inserted.get(id)?.seq ?? 0) > seq);
    if (late !== undefined) wrong('closed-inbox', event, `${late} came after the structured result, and is claimed all the same`);
  });
}
