/** Rule `tool-balance`: every call has one result, in time. */
import type { SessionEvent } from '../../sessions/event.ts';
import type { Say, Trace, TracedSession } from './trace.ts';

export function judgeCalls(trace: Trace, say: Say): void {
  for (const session of trace.sessions) judge(session, (what, event) => say('tool-balance', session, what, event));
}

function judge({ own }: TracedSession, wrong: (what: string, event: SessionEvent) => void): void {
  let open = new Set<string>();
  for (const event of own) {
    if (event.type === 'tool/results') {
      for (const { callId } of event.data.content) {
        if (!open.delete(callId)) wrong(`the result of ${callId} answers no open call`, event);
      }
    }
    const isNext = event.type === 'assistant/message' || event.type === 'turn/ended' || event.type === 'inbox/claimed';
    if (!isNext) continue;
    if (open.size > 0) wrong(`${[...open].join(', ')} had no result before it`, event);
    open = new Set(event.type === 'assistant/message' ? event.data.content.flatMap(callIdOf) : []);
  }
}

function callIdOf(block: { readonly type: string; readonly callId?: string }): string[] {
  return block.type === 'tool-call' && block.callId !== undefined ? [block.callId] : [];
}
