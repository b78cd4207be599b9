/** What must be true of a session's log, whatever happened to the agents and the store that wrote it. Says what is not. */
import type { SessionEvent } from '../../src/sessions/event.ts';
import { foldSession } from '../../src/sessions/fold.ts';
import type { SessionHead, SessionStore } from '../../src/sessions/store.ts';

export async function auditStore(store: SessionStore, ids: Iterable<SessionHead['header']['id']>): Promise<string[]> {
  const faults: string[] = [];
  const owed = new Map((await store.pending()).map(({ header, pending }) => [header.id, pending]));
  for (const id of ids) {
    const head = await store.head(id);
    if (head === undefined) continue;
    const events = await store.read(id);
    const say = (fault: string) => faults.push(`${id}: ${fault}`);
    if (events.some(({ seq }, index) => seq !== index) || events.length !== head.seq) say('its numbers have a gap');
    const own = events.slice(head.header.inheritedEvents);
    auditMail(own, say);
    auditTurns(own, say);
    const { unclaimed, openTurn } = foldSession(head.header, events);
    const pending = owed.get(id) ?? { unclaimed: 0, hasOpenTurn: false };
    if (head.owner !== undefined) continue; // a lease that has not run out hides what it owes
    if (pending.unclaimed !== unclaimed.filter(({ wakes }) => wakes).length)
      say(`${pending.unclaimed} messages are said to wait`);
    if (pending.hasOpenTurn !== (openTurn !== undefined)) say(`an open turn is said to be ${pending.hasOpenTurn}`);
  }
  return faults;
}

/** Every message comes in once, and goes once or not at all (I3). */
function auditMail(events: readonly SessionEvent[], say: (fault: string) => void): void {
  const wakes = new Map<string, boolean>();
  const gone = new Set<string>();
  for (const event of events) {
    if (event.type === 'inbox/inserted') {
      if (wakes.has(event.data.messageId)) say(`message ${event.data.messageId} came twice`);
      wakes.set(event.data.messageId, event.data.wakes);
    }
    if (event.type !== 'inbox/claimed' && event.type !== 'inbox/discarded') continue;
    for (const id of event.data.messageIds) {
      if (!wakes.has(id)) say(`message ${id} left and never came`);
      if (gone.has(id)) say(`message ${id} left twice`);
      gone.add(id);
    }
    const waking = event.data.messageIds.filter((id) => wakes.get(id) === true).length;
    if (waking !== event.data.waking) say(`${event.type} counts ${event.data.waking} waking messages of ${waking}`);
  }
}

/** One turn at a time, and every call of an ended turn has one result (I4). */
function auditTurns(events: readonly SessionEvent[], say: (fault: string) => void): void {
  let open: string | undefined;
  let calls = new Map<string, number>();
  for (const event of events) {
    switch (event.type) {
      case 'turn/started':
        if (open !== undefined) say(`turn ${event.data.turnId} starts inside turn ${open}`);
        open = event.data.turnId;
        calls = new Map();
        break;
      case 'assistant/message':
        if (open !== event.data.turnId) say(`an answer belongs to no open turn`);
        for (const block of event.data.content) if (block.type === 'tool-call') calls.set(block.callId, 0);
        break;
      case 'tool/results':
        for (const { callId } of event.data.content) calls.set(callId, (calls.get(callId) ?? 1) + 1);
        break;
      case 'turn/ended':
        if (open !== event.data.turnId) say(`turn ${event.data.turnId} ends and was not open`);
        for (const [callId, results] of calls) if (results !== 1) say(`call ${callId} has ${results} results`);
        open = undefined;
        break;
      default:
    }
  }
}
