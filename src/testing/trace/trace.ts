/** The sessions of a trace with what the rules ask of them, found in one pass over each log. Nothing of the library folds here. */
import type { AssistantBlock } from '../../sessions/content.ts';
import type {
  SessionEvent,
  SessionEventOf,
  SessionHeader,
  SubagentDescriptorData,
  SubagentStopReason,
} from '../../sessions/event.ts';
import type { JsonValue } from '../../sessions/json.ts';
import { formFault } from './form.ts';
import type { TraceRuleName } from './rules.ts';

/** One log: whole, or cut at any place as a crash would. */
export interface RecordedSession {
  readonly header: SessionHeader;
  readonly events: readonly SessionEvent[];
}

export interface TraceProblem {
  readonly rule: TraceRuleName;
  /** The session in whose log it shows. */
  readonly session: string;
  /** Of the event in which it shows; absent if it is the whole log, or what is missing at its end. */
  readonly seq?: number;
  /** For a person. */
  readonly what: string;
}

export type Say = (rule: TraceRuleName, session: TracedSession, what: string, event?: { readonly seq: number }) => void;

export type InsertedEvent = SessionEventOf<'inbox/inserted'>;
export type ChildEvent = SessionEventOf<'subagent/child'>;
export type EndEvent = SessionEventOf<'activation/ended'>;

/** What the log says of one activation, by its epoch. */
export interface ActivationTrace {
  hasTurn: boolean;
  lastTurnEnd: SubagentStopReason | undefined;
  /** The last answer that had a text. */
  words: readonly AssistantBlock[] | undefined;
  submitted: { readonly value: JsonValue } | undefined;
  /** The last that was written; an earlier one was overtaken. */
  end: EndEvent | undefined;
}

export interface TracedSession {
  readonly id: string;
  readonly header: SessionHeader;
  /** As recorded. */
  readonly all: readonly SessionEvent[];
  /** Places in `all` of events that cannot be judged, with what is wrong with them. */
  readonly faults: ReadonlyMap<number, string>;
  /** Behind the seed; without those whose form cannot be judged. */
  readonly own: readonly SessionEvent[];
  /** Its host runs it: turns, and what it is told, are not in its log. */
  readonly isHostRun: boolean;
  readonly descriptor: SubagentDescriptorData | undefined;
  readonly inserted: ReadonlyMap<string, InsertedEvent>;
  /** Its own catalog. */
  readonly listed: ReadonlyMap<string, ChildEvent>;
  readonly activations: ReadonlyMap<number, ActivationTrace>;
  /** For each child that it began in a turn: the calls of that turn that have a result of their own, and where. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The highest epoch of a turn or end. */
  readonly epoch: number;
}

export interface Trace {
  readonly sessions: readonly TracedSession[];
  readonly byId: ReadonlyMap<string, TracedSession>;
}

export function seedLength({ header, events }: RecordedSession): number {
  const { inheritedEvents: count } = header;
  return Number.isSafeInteger(count) && count > 0 ? Math.min(count, events.length) : 0;
}

/** `hostRun`: what the caller knows of top-level agents. */
export function traceOf(recorded: readonly RecordedSession[], hostRun: ReadonlySet<string>): Trace {
  const sessions = recorded.map((session) => traceSession(session, hostRun));
  return { sessions, byId: new Map(sessions.map((session) => [session.id, session])) };
}

function traceSession(recorded: RecordedSession, hostRun: ReadonlySet<string>): TracedSession {
  const header = headerOf(recorded);
  const events = Array.isArray(recorded?.events) ? (recorded.events as readonly SessionEvent[]) : [];
  const faults = new Map<number, string>(events === recorded?.events ? [] : [[0, 'it has no list of events']]);
  for (const [place, event] of events.entries()) {
    const fault = formFault(event);
    if (fault !== undefined) faults.set(place, fault);
  }
  const begin = seedLength({ header, events });
  const own = events.slice(begin).filter((_, place) => !faults.has(begin + place));
  const inserted = new Map<string, InsertedEvent>();
  const listed = new Map<string, ChildEvent>();
  let descriptor: SubagentDescriptorData | undefined;
  for (const event of own) {
    if (event.type === 'inbox/inserted' && !inserted.has(event.data.messageId)) inserted.set(event.data.messageId, event);
    if (event.type === 'subagent/child' && !listed.has(event.data.id)) listed.set(event.data.id, event);
    if (event.type === 'subagent/descriptor') descriptor ??= event.data;
  }
  const activations = activationsOf(own);
  const isHostRun = hostRun.has(header.id) || (header.parentSession === undefined && activations.size === 0);
  const epoch = Math.max(0, ...activations.keys());
  const facts = { descriptor, inserted, listed, activations, answers: answersOf(own), epoch };
  return { id: typeof header.id === 'string' ? header.id : '', header, all: events, faults, own, isHostRun, ...facts };
}

/** The rule of headers says what it lacks. */
function headerOf(recorded: RecordedSession | undefined): SessionHeader {
  const header: unknown = recorded?.header;
  return (typeof header === 'object' && header !== null ? header : {}) as SessionHeader;
}

function answersOf(own: readonly SessionEvent[]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const answers = new Map<string, ReadonlyMap<string, number>>();
  let ofTurn: Map<string, number> | undefined;
  for (const event of own) {
    if (event.type === 'turn/started') ofTurn = new Map();
    if (event.type === 'turn/ended') ofTurn = undefined;
    if (event.type === 'subagent/child' && ofTurn !== undefined) answers.set(event.data.id, ofTurn);
    if (event.type !== 'tool/results') continue;
    for (const { callId, isInterrupted } of event.data.content) if (isInterrupted !== true) ofTurn?.set(callId, event.seq);
  }
  return answers;
}

function activationsOf(own: readonly SessionEvent[]): ReadonlyMap<number, ActivationTrace> {
  const activations = new Map<number, ActivationTrace>();
  const of = (epoch: number): ActivationTrace => {
    const known = activations.get(epoch);
    if (known !== undefined) return known;
    const fresh = { hasTurn: false, lastTurnEnd: undefined, words: undefined, submitted: undefined, end: undefined };
    activations.set(epoch, fresh);
    return fresh;
  };
  let open: ActivationTrace | undefined;
  for (const event of own) {
    switch (event.type) {
      case 'turn/started':
        open = of(event.data.epoch);
        open.hasTurn = true;
        break;
      case 'assistant/message':
        if (open !== undefined && hasText(event.data.content)) open.words = event.data.content;
        break;
      case 'result/submitted':
        if (open !== undefined) open.submitted = { value: event.data.value };
        break;
      case 'turn/ended':
        if (open !== undefined) open.lastTurnEnd = event.data.stopReason;
        break;
      case 'activation/ended':
        of(event.data.epoch).end = event;
        break;
      default:
    }
  }
  return activations;
}

function hasText(content: readonly AssistantBlock[]): boolean {
  return content.some((block) => block.type === 'text' && block.text !== '');
}
