/** Rules `message-once`, `message-leaves-once`, `waking-count`, `queue-change`, `claim-order` and, for what a claim takes, `turn-opening`. */
import type { SessionEvent, SessionEventOf } from '../../sessions/event.ts';
import type { InboxLane } from '../../sessions/message.ts';
import type { InsertedEvent, Say, Trace, TracedSession } from './trace.ts';

type ClaimedEvent = SessionEventOf<'inbox/claimed'>;

/** A message between acceptance and its leaving. */
interface Waiting {
  readonly event: InsertedEvent;
  lane: InboxLane;
  hasLeft: boolean;
}

export function judgeMail(trace: Trace, say: Say): void {
  const acceptedBy = new Map<string, TracedSession>();
  for (const session of trace.sessions) new SessionMail(session, acceptedBy, say).judge();
}

class SessionMail {
  readonly #session: TracedSession;
  /** Every message of the trace, with the log that accepted it first. */
  readonly #acceptedBy: Map<string, TracedSession>;
  readonly #say: Say;
  readonly #waiting = new Map<string, Waiting>();
  /** In order of acceptance; what has left, or was promoted, is passed over when it comes to the front. */
  readonly #lanes: Readonly<Record<InboxLane, Waiting[]>> = { turn: [], step: [] };
  readonly #fronts: Record<InboxLane, number> = { turn: 0, step: 0 };

  constructor(session: TracedSession, acceptedBy: Map<string, TracedSession>, say: Say) {
    this.#session = session;
    this.#acceptedBy = acceptedBy;
    this.#say = say;
  }

  judge(): void {
    const { own } = this.#session;
    for (const [place, event] of own.entries()) {
      switch (event.type) {
        case 'inbox/inserted':
          this.#accept(event);
          break;
        case 'inbox/claimed':
          this.#claim(event, own[place + 1]);
          break;
        case 'inbox/discarded':
          this.#leave(event);
          break;
        case 'inbox/edited':
        case 'inbox/promoted':
          this.#change(event);
          break;
        default:
      }
    }
  }

  #accept(event: InsertedEvent): void {
    const { messageId, lane, source } = event.data;
    const before = this.#acceptedBy.get(messageId);
    const mayRepeat = source.kind === 'user' && source.requestId !== undefined && before !== this.#session;
    if (before !== undefined && !mayRepeat) {
      this.#say('message-once', this.#session, `${messageId} was accepted by ${before.id} before`, event);
      if (before === this.#session) return;
    }
    this.#acceptedBy.set(messageId, this.#session);
    const waiting = { event, lane, hasLeft: false };
    this.#waiting.set(messageId, waiting);
    this.#lanes[lane].push(waiting);
  }

  #claim(event: ClaimedEvent, next: SessionEvent | undefined): void {
    const messages = this.#leave(event);
    const { turnId } = event.data;
    const isOpening = next?.type === 'turn/started' && next.data.turnId === turnId;
    const openers = messages.filter(({ lane }) => lane === 'turn').length;
    const wrong = (what: string) => this.#say('turn-opening', this.#session, what, event);
    if (isOpening && openers > 1) wrong(`turn ${turnId} is opened by ${openers} messages`);
    if (isOpening && !messages.some((message) => message.event.data.wakes))
      wrong(`turn ${turnId} is opened by nothing that wakes`);
    if (next !== undefined && !isOpening && openers > 0 && !this.#session.isHostRun)
      wrong('a message that opens a turn of its own is claimed inside one');
  }

  /** Those of the messages that waited. */
  #leave(event: ClaimedEvent | SessionEventOf<'inbox/discarded'>): readonly Waiting[] {
    const left: Waiting[] = [];
    for (const messageId of event.data.messageIds) {
      const message = this.#waiting.get(messageId);
      if (message === undefined || message.hasLeft) {
        this.#say('message-leaves-once', this.#session, `${messageId} leaves and did not wait`, event);
        continue;
      }
      if (event.type === 'inbox/claimed') this.#judgeOrder(message, event);
      message.hasLeft = true;
      left.push(message);
    }
    const waking = left.filter((message) => message.event.data.wakes).length;
    if (waking !== event.data.waking && left.length === event.data.messageIds.length)
      this.#say('waking-count', this.#session, `it counts ${event.data.waking} that wake, and there are ${waking}`, event);
    return left;
  }

  #judgeOrder(message: Waiting, event: ClaimedEvent): void {
    const { lane } = message.event.data;
    if (message.lane !== lane) return; // promoted
    const line = this.#lanes[lane];
    let front = line[this.#fronts[lane]];
    while (front !== undefined && (front.hasLeft || front.lane !== lane)) front = line[++this.#fronts[lane]];
    if (front === message || front === undefined) return;
    const { messageId } = message.event.data;
    this.#say('claim-order', this.#session, `${messageId} overtook ${front.event.data.messageId}`, event);
  }

  #change(event: SessionEventOf<'inbox/edited' | 'inbox/promoted'>): void {
    const { messageId } = event.data;
    const message = this.#waiting.get(messageId);
    const fault = changeFault(event, message);
    if (fault !== undefined) this.#say('queue-change', this.#session, `${messageId} is ${fault}`, event);
    if (message !== undefined && event.type === 'inbox/promoted') message.lane = 'step';
  }
}

function changeFault({ type }: SessionEvent, message: Waiting | undefined): string | undefined {
  if (message === undefined || message.hasLeft) return 'changed and does not wait';
  if (message.event.data.source.form === 'notice') return 'changed and is a notice';
  return type === 'inbox/promoted' && message.lane === 'step' ? 'promoted and waits for a step already' : undefined;
}
