/** Events that came from outside, a seed say: what is written into a log must be what its readers understand. */
import { SubagentError } from '../errors.ts';
import type { SessionEvent, SessionEventType } from './event.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { jsonCopy } from './json-copy.ts';
import { fieldsOf } from './outside.ts';

type Kind = 'text' | 'name' | 'names' | 'count' | 'flag' | 'blocks' | 'object' | 'json';

/** What each event must have, and what it may have. Fields that no reader looks at are passed over. */
const shapes: Readonly<
  Record<SessionEventType, { readonly has: Readonly<Record<string, Kind>>; readonly may?: Readonly<Record<string, Kind>> }>
> = {
  'subagent/descriptor': { has: { version: 'count', provider: 'text', mode: 'text', label: 'text', agentOptions: 'object' } },
  'subagent/child': { has: { id: 'name', mode: 'text', createdAt: 'count' }, may: { label: 'text' } },
  'inbox/inserted': { has: { messageId: 'name', lane: 'text', wakes: 'flag', source: 'object', content: 'blocks' } },
  'inbox/claimed': { has: { messageIds: 'names', waking: 'count', turnId: 'name' } },
  'inbox/discarded': { has: { messageIds: 'names', waking: 'count', reason: 'text' } },
  'inbox/edited': { has: { messageId: 'name', content: 'blocks' } },
  'inbox/promoted': { has: { messageId: 'name' } },
  'turn/started': { has: { turnId: 'name', epoch: 'count' } },
  'assistant/message': { has: { turnId: 'name', content: 'blocks' }, may: { usage: 'object', model: 'text' } },
  'tool/results': { has: { turnId: 'name', content: 'blocks' } },
  'result/submitted': { has: { turnId: 'name', value: 'json' } },
  'turn/ended': { has: { turnId: 'name', stopReason: 'text' }, may: { diagnostic: 'text', isInterrupted: 'flag' } },
  'activation/ended': {
    has: { runId: 'name', epoch: 'count', stopReason: 'text' },
    may: { diagnostic: 'text', notice: 'name' },
  },
  'notice/delivered': { has: { notice: 'name' } },
};

/** A copy of event number `seq`. Throws `INVALID_ARGUMENT` for another number, an unknown type, and data that is not that of its type. */
export function checkedEvent(given: unknown, seq: number): SessionEvent {
  const event = fieldsOf(given, ['seq', 'time', 'type', 'data'], 'an event');
  if (event.seq !== seq) throw invalid(`event ${seq} has another number`);
  if (!Number.isFinite(event.time)) throw invalid(`the time of event ${seq} is no number`);
  if (typeof event.type !== 'string' || !Object.hasOwn(shapes, event.type)) throw invalid(`event ${seq} is of no known type`);
  const { has, may = {} } = shapes[event.type as SessionEventType];
  const data = jsonCopy(event.data, `event ${seq}`);
  if (!isObject(data) || !fits(data, has, false) || !fits(data, may, true)) throw invalid(`event ${seq} is no ${event.type}`);
  return { seq, time: event.time, type: event.type, data } as unknown as SessionEvent;
}

function fits(data: JsonObject, shape: Readonly<Record<string, Kind>>, mayBeAbsent: boolean): boolean {
  return Object.entries(shape).every(([name, kind]) => {
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    return value === undefined ? mayBeAbsent : isOf(kind, value);
  });
}

function isOf(kind: Kind, value: JsonValue): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'count':
      return typeof value === 'number';
    case 'flag':
      return typeof value === 'boolean';
    case 'name':
      return isName(value);
    case 'names':
      return Array.isArray(value) && value.every(isName);
    case 'blocks':
      return Array.isArray(value) && value.every((item) => isObject(item) && isBlock(item));
    case 'object':
      return isObject(value);
    case 'json':
      return true;
  }
}

function isBlock({ type, text, callId, toolName, ...block }: JsonObject): boolean {
  switch (type) {
    case 'text':
    case 'reasoning':
      return typeof text === 'string';
    case 'image':
      return typeof block.mediaType === 'string' && typeof block.data === 'string';
    case 'tool-call':
      return isName(callId) && typeof toolName === 'string' && block.input !== undefined;
    case 'tool-result':
      return isName(callId) && typeof toolName === 'string' && block.output !== undefined;
    default:
      return false;
  }
}

function isName(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value !== '';
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(what: string): SubagentError {
  return new SubagentError('INVALID_ARGUMENT', what);
}
