/** That turns follow one another, each with all that belongs to it (P18, R4). */
import { ownEvents } from './checks.ts';
import type { StoredSession } from './rescue.ts';

/** A turn begins with its claim and ends before the next; epochs never fall, so no older owner wrote behind a newer one. */
export function turnProblems(session: StoredSession): string[] {
  const { id } = session.header;
  const problems: string[] = [];
  let open: string | undefined;
  let epoch = 0;
  for (const event of ownEvents(session)) {
    switch (event.type) {
      case 'turn/started':
        if (open !== undefined) problems.push(`${id}: turn ${event.data.turnId} began inside ${open}`);
        if (event.data.epoch < epoch) problems.push(`${id}: turn ${event.data.turnId} is of the older epoch ${event.data.epoch}`);
        open = event.data.turnId;
        epoch = event.data.epoch;
        break;
      case 'turn/ended':
        if (open !== event.data.turnId) problems.push(`${id}: turn ${event.data.turnId} ended, but ${open} was open`);
        open = undefined;
        break;
      case 'assistant/message':
      case 'tool/results':
        if (open !== event.data.turnId) problems.push(`${id}: event ${event.seq} belongs to no open turn`);
        break;
      case 'activation/ended':
        if (open !== undefined) problems.push(`${id}: the activation ended inside turn ${open}`);
        if (event.data.epoch < epoch) problems.push(`${id}: an end of the older epoch ${event.data.epoch}`);
        epoch = event.data.epoch;
        break;
      default:
    }
  }
  if (open !== undefined) problems.push(`${id}: turn ${open} is still open`);
  return problems;
}

/** Every call has one result before the model speaks again or the turn ends. */
export function balanceProblems({ header, events }: StoredSession): string[] {
  const problems: string[] = [];
  let open: string[] = [];
  for (const event of events) {
    if (event.type === 'tool/results') {
      for (const { callId } of event.data.content) {
        if (!open.includes(callId)) problems.push(`${header.id}: event ${event.seq} answers ${callId}, which is not open`);
        open = open.filter((other) => other !== callId);
      }
    }
    if (event.type !== 'assistant/message' && event.type !== 'turn/ended') continue;
    if (open.length > 0) problems.push(`${header.id}: ${open.join(', ')} had no result before event ${event.seq}`);
    open =
      event.type === 'turn/ended'
        ? []
        : event.data.content.flatMap((block) => (block.type === 'tool-call' ? [block.callId] : []));
  }
  return problems;
}
