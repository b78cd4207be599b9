/** Headers and events for tests of stores. */
import type { NewSessionEvent, SessionHeader } from '../../../sessions/event.ts';
import type { MessageId, SessionId } from '../../../sessions/ids.ts';

export function sessionId(text: string): SessionId {
  return text as SessionId;
}

export function messageId(text: string): MessageId {
  return text as MessageId;
}

export function header(id: string, changes: Partial<SessionHeader> = {}): SessionHeader {
  return {
    version: 1,
    id: sessionId(id),
    createdAt: 1_700_000_000_000,
    cwd: '/project',
    project: '/project',
    delegationDepth: 0,
    isSeeded: false,
    inheritedEvents: 0,
    ...changes,
  };
}

export function inserted(id: string, options: { wakes?: boolean; text?: string } = {}): NewSessionEvent {
  const { wakes = true, text = `text of ${id}` } = options;
  return {
    type: 'inbox/inserted',
    time: 1_700_000_000_001,
    data: {
      messageId: messageId(id),
      lane: 'turn',
      wakes,
      source: { kind: 'user', form: 'prompt' },
      content: [{ type: 'text', text }],
    },
  };
}

export function claimed(ids: readonly string[], waking = ids.length): NewSessionEvent {
  return {
    type: 'inbox/claimed',
    time: 1_700_000_000_002,
    data: { messageIds: ids.map(messageId), waking, turnId: 'turn-1' },
  };
}

export function child(id: string): NewSessionEvent {
  return {
    type: 'subagent/child',
    time: 1_700_000_000_003,
    data: { id, mode: 'continuable', label: `label of ${id}`, createdAt: 1_700_000_000_003 },
  };
}

export const turnStarted: NewSessionEvent = {
  type: 'turn/started',
  time: 1_700_000_000_004,
  data: { turnId: 'turn-1', epoch: 1 },
};

export const turnEnded: NewSessionEvent = {
  type: 'turn/ended',
  time: 1_700_000_000_005,
  data: { turnId: 'turn-1', stopReason: 'completed' },
};

/** The events as a log holds them. */
export function numbered(events: readonly NewSessionEvent[], from = 0) {
  return events.map(({ type, time, data }, index) => ({ seq: from + index, time, type, data }));
}
