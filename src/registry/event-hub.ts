/** What observers of the runtime see. State comes first: when an event is told, every list, handle and record says the same. */
import { EMPTY, finalize, type Observable, Subject } from 'rxjs';
import type { TurnDelta } from '../agents/driver.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { NewSessionEvent, SubagentStopReason } from '../sessions/event.ts';
import type { MessageId } from '../sessions/ids.ts';
import { contained } from './contained.ts';

export interface SubagentRunInfo {
  /** Names one activation; a resumed child has a new one. */
  readonly runId: string;
  readonly provider: string;
  readonly id: string;
  readonly local: boolean;
  readonly parentId: string;
  readonly label: string;
  readonly depth: number;
}
export interface SubagentRunEndInfo extends SubagentRunInfo {
  readonly stopReason: SubagentStopReason;
  readonly lastAssistantMessage?: readonly ContentBlock[];
  /** Present if the release failed; the outcome above stands. */
  readonly error?: string;
}

export type SubagentEvent =
  | ({ readonly type: 'subagent/start' } & SubagentRunInfo)
  | ({ readonly type: 'subagent/end' } & SubagentRunEndInfo)
  | { readonly type: 'subagent/provider-added' | 'subagent/provider-removed'; readonly provider: string }
  | { readonly type: 'agent/inbox/inserted'; readonly agentId: string; readonly messageId: MessageId }
  | {
      readonly type: 'agent/inbox/claimed' | 'agent/inbox/discarded';
      readonly agentId: string;
      readonly messageIds: readonly MessageId[];
    }
  /** Committed events of a session, in order. */
  | { readonly type: 'session/appended'; readonly agentId: string; readonly events: readonly NewSessionEvent[] }
  /** What a model says while it says it; never stored. */
  | { readonly type: 'agent/progress'; readonly agentId: string; readonly delta: TurnDelta };

export class EventHub {
  readonly #report: (where: string, fault: unknown) => void;
  #all: Subject<SubagentEvent> | undefined;
  #isClosed = false;
  readonly #byParent = new Map<string, Subject<SubagentEvent>>();
  readonly #catalogs = new Map<string, Subject<void>>();

  constructor(report: (where: string, fault: unknown) => void) {
    this.#report = report;
  }

  get events$(): Observable<SubagentEvent> {
    if (this.#isClosed) return EMPTY;
    this.#all ??= new Subject();
    return contained(this.#all, this.#report);
  }

  /** Only the start and end events of what this agent delegates. */
  ofParent(parentId: string): Observable<SubagentEvent> {
    if (this.#isClosed) return EMPTY;
    let subject = this.#byParent.get(parentId);
    if (subject === undefined) {
      subject = new Subject();
      this.#byParent.set(parentId, subject);
    }
    return contained(subject, this.#report);
  }

  /** One value for each change of the catalog that a session of this runtime owns. */
  catalogChanges(agentId: string): Observable<void> {
    if (this.#isClosed) return EMPTY;
    let subject = this.#catalogs.get(agentId);
    if (subject === undefined) {
      subject = new Subject();
      this.#catalogs.set(agentId, subject);
    }
    return subject.pipe(
      finalize(() => {
        if (subject.observed === false) this.#catalogs.delete(agentId);
      }),
    );
  }

  get isObserved(): boolean {
    return this.#all?.observed === true;
  }

  emit(event: SubagentEvent, parentId?: string): void {
    this.#contain(() => this.#all?.next(event));
    if (parentId !== undefined) this.#contain(() => this.#byParent.get(parentId)?.next(event));
  }

  /** The start or the end of something that an agent delegated. `make` is called only if somebody listens. */
  tell(parentId: string, make: () => SubagentEvent): void {
    if (this.isObserved || this.#byParent.has(parentId)) this.emit(make(), parentId);
  }

  appended(agentId: string, events: readonly NewSessionEvent[]): void {
    if (this.#catalogs.size > 0 && events.some((event) => event.type === 'subagent/child')) {
      this.#contain(() => this.#catalogs.get(agentId)?.next());
    }
    if (!this.isObserved) return;
    for (const event of events) {
      if (event.type === 'inbox/inserted') this.emit({ type: 'agent/inbox/inserted', agentId, messageId: event.data.messageId });
      if (event.type === 'inbox/claimed') this.emit({ type: 'agent/inbox/claimed', agentId, messageIds: event.data.messageIds });
      if (event.type === 'inbox/discarded')
        this.emit({ type: 'agent/inbox/discarded', agentId, messageIds: event.data.messageIds });
    }
    this.emit({ type: 'session/appended', agentId, events });
  }

  forgetParent(parentId: string): void {
    const subject = this.#byParent.get(parentId);
    this.#byParent.delete(parentId);
    this.#contain(() => subject?.complete());
  }

  close(): void {
    this.#isClosed = true;
    this.#contain(() => this.#all?.complete());
    for (const parentId of [...this.#byParent.keys()]) this.forgetParent(parentId);
    for (const subject of [...this.#catalogs.values()]) this.#contain(() => subject.complete());
  }

  /** Listeners are contained already; what still throws is a bare `Subscriber` that somebody handed in. */
  #contain(tell: () => void): void {
    try {
      tell();
    } catch (fault) {
      this.#report('listener', fault);
    }
  }
}
