/** How events and headers become rows, with the checksums that tell a damaged row from a sound one. */
import { crc32 } from 'node:zlib';
import { SubagentError } from '../../../errors.ts';
import type { NewSessionEvent, SessionEvent, SessionHeader } from '../../event.ts';
import type { SessionId } from '../../ids.ts';

export interface EncodedEvent {
  readonly type: string;
  readonly time: number;
  readonly json: string;
}

export interface EventRow {
  readonly seq: number;
  readonly time: number;
  readonly type: string;
  readonly data: string;
  readonly sum: number;
}

/** What changes in a session, and the checksum over it. `owner` is a row of the owner table; flags are 0 or 1. */
export interface SessionState {
  readonly seq: number;
  readonly epoch: number;
  readonly owner: number | null;
  readonly unclaimed: number;
  readonly turn: number;
  readonly notice: number;
}

/** Text of an event, made once and when the call is made. Throws `INVALID_ARGUMENT` if JSON cannot hold the event. */
export function encodeEvents(events: readonly NewSessionEvent[]): EncodedEvent[] {
  return events.map(({ type, time, data }) => {
    if (!Number.isFinite(time)) throw new SubagentError('INVALID_ARGUMENT', `the time of a ${type} event is not a number`);
    return { type, time, json: toJson(data, `a ${type} event`) };
  });
}

export function toJson(value: unknown, what: string): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    throw new SubagentError('INVALID_ARGUMENT', `${what} cannot be written as JSON`, { cause });
  }
  if (json === undefined) throw new SubagentError('INVALID_ARGUMENT', `${what} has nothing that JSON can hold`);
  return json;
}

/** Over the session's id too: a row that turns up in another log is damage. */
export function eventSum(id: SessionId, seq: number, { type, time, json }: EncodedEvent): number {
  const place = `${id} ${seq} ${time} ${type} `;
  // The same sum either way. One call is faster than two; joining would copy a large text once more.
  return json.length < 4_096 ? crc32(place + json) : crc32(json, crc32(place));
}

export function headerSum(json: string): number {
  return crc32(json);
}

export function stateSum(id: SessionId, state: SessionState): number {
  return crc32(`${id} ${state.seq} ${state.epoch} ${state.owner} ${state.unclaimed} ${state.turn} ${state.notice}`);
}

/** Throws `SESSION_DAMAGED` unless the row is event number `seq` of the session, unchanged since it was written. A damaged column can have any type. */
export function decodeEvent(id: SessionId, seq: number, type: string, row: Omit<EventRow, 'type'>): SessionEvent {
  if (row.seq !== seq) throw damaged(id, `event ${seq} is missing`);
  const { time, data: json } = row;
  if (typeof json !== 'string') throw damaged(id, `event ${seq} is no text`);
  if (eventSum(id, seq, { type, time, json }) !== row.sum) throw damaged(id, `event ${seq} fails its checksum`);
  return { seq, time, type, data: JSON.parse(json) } as SessionEvent;
}

/** Throws `SESSION_DAMAGED`, or `SESSION_UNSUPPORTED` for a header of a later version. */
export function decodeHeader(id: SessionId, json: string, sum: number): SessionHeader {
  if (typeof json !== 'string' || headerSum(json) !== sum) throw damaged(id, 'its header fails its checksum');
  const header = JSON.parse(json) as SessionHeader;
  if (header.id !== id) throw damaged(id, 'its header names another session');
  if (header.version !== 1)
    throw new SubagentError('SESSION_UNSUPPORTED', `session ${id} has version ${header.version}; known is 1`);
  return header;
}

export function damaged(id: SessionId, what: string, cause?: unknown): SubagentError {
  return new SubagentError('SESSION_DAMAGED', `session ${id} is damaged: ${what}`, { cause });
}
