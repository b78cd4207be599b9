/** Rules `epoch-order`, `run-id` and `end-agrees`: one life of a session after the other. */
import type { SessionEvent } from '../../sessions/event.ts';
import { keyOf } from './notice-key.ts';
import type { EndEvent, Say, Trace, TracedSession } from './trace.ts';

export function judgeActivations(trace: Trace, say: Say): void {
  const runs = new Map<string, string>();
  for (const session of trace.sessions) {
    judgeEpochs(session, (what, event) => say('epoch-order', session, what, event));
    for (const event of session.own) {
      if (event.type !== 'activation/ended') continue;
      const life = `${session.id}, epoch ${event.data.epoch}`;
      const before = runs.get(event.data.runId);
      if (before !== undefined && before !== life)
        say('run-id', session, `${event.data.runId} is the run of ${before} as well`, event);
      runs.set(event.data.runId, life);
    }
    judgeEnds(session, (what, event) => say('end-agrees', session, what, event));
  }
}

function judgeEpochs({ id, own }: TracedSession, wrong: (what: string, event: SessionEvent) => void): void {
  let last = 0;
  let told = 0;
  for (const event of own) {
    if (event.type === 'notice/delivered') told = Math.max(told, keyOf(event.data.notice, id) ?? 0);
    if (event.type !== 'turn/started' && event.type !== 'activation/ended') continue;
    const { epoch } = event.data;
    if (epoch < last) wrong(`${event.type} of epoch ${epoch} comes behind epoch ${last}`, event);
    else if (epoch <= told) wrong(`${event.type} of epoch ${epoch} comes after its parent was told of the end`, event);
    last = Math.max(last, epoch);
  }
}

/**
 * Whoever was stopped is `aborted` whatever its last turn came to, and what failed outside a turn is an `error`. A top-level
 * agent that is closed without a turn repeats the last one of its session.
 */
function judgeEnds({ own, header }: TracedSession, wrong: (what: string, event: EndEvent) => void): void {
  let turnEpoch = 0;
  let last: string | undefined;
  for (const event of own) {
    if (event.type === 'turn/started') {
      if (event.data.epoch !== turnEpoch && header.parentSession !== undefined) last = undefined;
      turnEpoch = event.data.epoch;
    }
    if (event.type === 'turn/ended') last = event.data.stopReason;
    if (event.type !== 'activation/ended') continue;
    const { stopReason, epoch } = event.data;
    if (stopReason === 'aborted' || stopReason === 'error') continue;
    const said = header.parentSession === undefined || epoch === turnEpoch ? last : undefined;
    if (said !== stopReason) wrong(`it ended as ${stopReason}, its last turn as ${said ?? 'nothing: it had none'}`, event);
  }
}
