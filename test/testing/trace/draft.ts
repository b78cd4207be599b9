/** A copy of recorded sessions that a test can spoil, one event at a time. */
import type {
  SessionEvent,
  SessionEventMap,
  SessionEventOf,
  SessionEventType,
  SessionHeader,
} from '../../../src/sessions/event.ts';
import type { RecordedSession } from '../../../src/testing/trace/trace.ts';

/** The same, to be written to; ids are any text. */
type Writable<Value> = Value extends string
  ? string
  : Value extends readonly (infer Item)[]
    ? Writable<Item>[]
    : Value extends object
      ? { -readonly [Key in keyof Value]: Writable<Value[Key]> }
      : Value;

export class Draft {
  readonly byLabel: Readonly<Record<string, { readonly header: SessionHeader; events: SessionEvent[] }>>;

  constructor(byLabel: Readonly<Record<string, RecordedSession>>) {
    this.byLabel = JSON.parse(JSON.stringify(byLabel)) as Draft['byLabel']; // shares nothing, unlike a structured clone
  }

  get sessions(): RecordedSession[] {
    return Object.values(this.byLabel);
  }

  id(label: string): string {
    return this.session(label).header.id;
  }

  header(label: string): Writable<SessionHeader> {
    return this.session(label).header as Writable<SessionHeader>;
  }

  session(label: string): Draft['byLabel'][string] {
    const session = this.byLabel[label];
    if (session === undefined) throw new Error(`nobody is labelled ${label}`);
    return session;
  }

  /** The n-th own event of the type, from 1; from the end with -1 and so on. */
  place(label: string, type: SessionEventType, nth = 1): number {
    const { header, events } = this.session(label);
    const places = events.flatMap((event, place) => (place >= header.inheritedEvents && event.type === type ? [place] : []));
    const place = places.at(nth > 0 ? nth - 1 : nth);
    if (place === undefined) throw new Error(`${label} has no event ${nth} of ${type}`);
    return place;
  }

  event<Type extends SessionEventType>(label: string, type: Type, nth = 1): SessionEventOf<Type> {
    return this.session(label).events[this.place(label, type, nth)] as SessionEventOf<Type>;
  }

  /** The data of the event, to be changed. */
  data<Type extends SessionEventType>(label: string, type: Type, nth = 1): Writable<SessionEventMap[Type]> {
    return this.event(label, type, nth).data as Writable<SessionEventMap[Type]>;
  }

  drop(label: string, type: SessionEventType, nth = 1): void {
    this.splice(label, this.place(label, type, nth), 1);
  }

  double(label: string, type: SessionEventType, nth = 1): void {
    const place = this.place(label, type, nth);
    this.splice(label, place + 1, 0, { ...this.event(label, type, nth) });
  }

  /** By so many places. */
  move(label: string, type: SessionEventType, by: number, nth = 1): void {
    const place = this.place(label, type, nth);
    const event = this.event(label, type, nth);
    this.splice(label, place, 1);
    this.splice(label, place + by, 0, event);
  }

  add(label: string, place: number, ...events: readonly { readonly type: SessionEventType; readonly data: unknown }[]): void {
    this.splice(label, place, 0, ...events.map((event) => ({ seq: 0, time: 1, ...event }) as SessionEvent));
  }

  /** From there on nothing was written. */
  cut(label: string, place: number): void {
    this.splice(label, place, Number.POSITIVE_INFINITY);
  }

  splice(label: string, place: number, count: number, ...events: readonly SessionEvent[]): void {
    const session = this.session(label);
    session.events.splice(place, count, ...events);
    session.events.forEach((event, seq) => {
      Object.assign(event, { seq });
    });
  }
}
