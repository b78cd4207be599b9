/** Rule `message-source`: who can have sent a message, and how it then comes. Notices and prompts have rules of their own. */
import type { InboxMessage } from '../../sessions/message.ts';
import type { InsertedEvent, Say, Trace, TracedSession } from './trace.ts';

export function judgeSources(trace: Trace, say: Say): void {
  for (const session of trace.sessions) {
    for (const event of session.own) {
      if (event.type !== 'inbox/inserted') continue;
      const fault = faultOf(session, event);
      if (fault !== undefined) say('message-source', session, fault, event);
    }
  }
}

function faultOf(session: TracedSession, event: InsertedEvent): string | undefined {
  const { messageId, source, wakes } = event.data;
  switch (source.kind) {
    case 'agent-message':
      if (!isKin(session, source.senderSessionId, event))
        return `${source.senderSessionId} is neither its parent nor a child of it`;
      return comesAs(event.data, 'step', true);
    case 'user':
      if (source.requestId !== undefined && messageId !== `request:${source.requestId}`)
        return `the message of the request ${source.requestId} has the id ${messageId}`;
      if (source.requestId === undefined && messageId.startsWith('request:')) return `${messageId} names no request`;
      return wakes ? undefined : 'a message of a person does not wake';
    case 'context':
      return comesAs(event.data, 'step', false);
    case 'turn-interrupted':
      return comesAs(event.data, 'step', true);
    case 'subagent-settled':
      return event.data.lane === 'step' ? undefined : 'a notice opens no turn of its own';
    case 'delegation':
      return undefined;
  }
}

function comesAs(
  { lane, wakes, source }: InboxMessage,
  laneOfKind: InboxMessage['lane'],
  wakesOfKind: boolean,
): string | undefined {
  if (lane === laneOfKind && wakes === wakesOfKind) return undefined;
  return `a message of kind ${source.kind} is in the ${lane} lane and ${wakes ? 'wakes' : 'does not wake'}`;
}

function isKin({ header, listed }: TracedSession, sender: string, { seq }: InsertedEvent): boolean {
  if (sender === header.parentSession) return true;
  const entry = listed.get(sender);
  return entry?.data.mode === 'continuable' && entry.seq < seq;
}
